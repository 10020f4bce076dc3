import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { createMemberListener } from "@platform-rpc/accounts/members/member-listener";
import { inMemoryPlatform } from "@platform-rpc/accounts/testing/in-memory-platform";
import { StorageError } from "@platform-rpc/server";
import { defaultLimits } from "@platform-rpc/server/host";
import type { ErrorReason } from "@platform-rpc/types";
import type { OperationReasons } from "@platform-rpc/types-internal/operation-reasons";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Answered, call } from "../../testing/call.js";
import { reasonIn } from "../../testing/item-answer.js";
import { content, type MemberApp, scopes, startMemberApp, tenantId } from "./testing/start-member-app.js";

type Service = "platform.accounts.v1.MemberVaultService";
type Method = keyof OperationReasons extends infer Name ? (Name extends `${Service}/${infer M}` ? M : never) : never;

let app: MemberApp;
let ada: string;
let vaultId: string;
beforeAll(async () => {
  app = await startMemberApp();
  ada = await app.token({ principalId: "ada" });
  vaultId = await app.vault({ ada: "owner" });
});
afterAll(() => app.end());

/** Serves the member API of a platform whose vaults have used their last sequence. */
async function callExhausted(method: string): Promise<Answered> {
  const platform = await inMemoryPlatform();
  onTestFinished(platform.close);
  const own = ownCall("test", platform.secrets);
  const subject = { tenantId, principalId: "ada", oauthClientId: "c-1" };
  await platform.own.setPrincipal({ ...subject, active: true }, own);
  const allowedOperations = [`platform.accounts.v1.MemberVaultService/${method}`];
  await platform.own.setOauthClient({ ...subject, name: "C", allowedOperations, enabled: true }, own);
  const { accessToken } = await platform.own.issueAccessToken({ ...subject, scopes, lifeSeconds: 60 }, own);
  const exhausted = () => Promise.reject(new StorageError("sequence_exhausted"));
  const members = createMemberListener({
    limits: defaultLimits,
    logSuccesses: 1,
    lookEveryMs: 100,
    platform: {
      ...platform,
      operations: { ...platform.operations, putItem: exhausted, deleteItem: exhausted, restoreItem: exhausted },
    },
    logger: { info() {}, error() {} },
    tracing: undefined,
    clock: platform.clock,
    onRequestEnd: () => {},
  });
  const server = createServer(members.handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await members.close();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const item = { itemId: "i-1", baseVersion: 1, ...(method.startsWith("Put") && content) };
  const body = method.endsWith("Items") ? { vaultId, items: [item] } : { vaultId, ...item };
  return call(`http://127.0.0.1:${port}`, `platform.accounts.v1.MemberVaultService/${method}`, body, accessToken);
}

const uuid = () => crypto.randomUUID();
const newKey = () => ({ keyId: uuid(), wrappedKey: "d3JhcHBlZA" });

/** Creates a vault of a new person, and returns it with their token. */
async function ownVault() {
  const principalId = uuid();
  const token = await app.token({ principalId });
  const created = { vaultId: uuid(), key: newKey(), encryptedName: "bmFtZQ" };
  expect((await app.member("CreateVault", created, token)).status).toBe(200);
  return { ...created, principalId, token };
}

/** Calls an operation on a vault of a person whose role is not owner any more. */
async function asMember(method: Method, body: object) {
  const { vaultId: own, principalId, token } = await ownVault();
  const vaultId = method === "CreateVaultKey" ? principalId : own;
  await app.admin("VaultAdminService/CreateVault", { tenantId, vaultId, retentionDays: 30 });
  await app.admin("VaultAdminService/SetVaultMember", { tenantId, vaultId, principalId, role: "admin" });
  return app.member(method, method === "CreateVaultKey" ? body : { vaultId, ...body }, token);
}

/** Calls CreateVault as somebody who owns 50 vaults. */
async function createOneMore() {
  const principalId = uuid();
  for (let index = 0; index < 50; index += 1) await app.vault({ [principalId]: "owner" });
  const created = { vaultId: uuid(), key: newKey(), encryptedName: "bmFtZQ" };
  return app.member("CreateVault", created, await app.token({ principalId }));
}

const newItem = { itemId: "i-new", baseVersion: 0, ...content };
const seenItem = { itemId: "i-seen", baseVersion: 1 };

/** Calls an operation on an item of a vault in which the caller only reads. */
async function asViewer(method: Method, item: object) {
  const readOnly = await app.vault({ ada: "viewer" });
  return app.member(method, { vaultId: readOnly, items: [item] }, ada);
}

const invalid = (method: Method, body: object) => () => app.member(method, { vaultId, ...body }, ada);

/** The reasons that no row of testing/cases has. */
const failing: { readonly [M in Method]: Readonly<Record<string, () => Promise<Answered>>> } = {
  ListVaults: { INVALID_FIELD: () => app.member("ListVaults", { pageSize: 101, pageToken: "/" }, ada) },
  ListChanges: { INVALID_FIELD: invalid("ListChanges", { limit: 501, waitSeconds: 26 }) },
  GetItem: { INVALID_FIELD: invalid("GetItem", { itemId: "" }) },
  PutItem: {
    INVALID_FIELD: invalid("PutItem", { itemId: "", baseVersion: 2, ...content, kind: "" }),
    SEQUENCE_EXHAUSTED: () => callExhausted("PutItem"),
  },
  PutItems: {
    INVALID_FIELD: invalid("PutItems", { items: [] }),
    VAULT_NOT_FOUND: () => app.member("PutItems", { vaultId: "unknown", items: [newItem] }, ada),
    ROLE_FORBIDS_CHANGE: () => asViewer("PutItems", newItem),
    SEQUENCE_EXHAUSTED: () => callExhausted("PutItems"),
  },
  DeleteItems: {
    INVALID_FIELD: invalid("DeleteItems", { items: [{ itemId: "i-1", baseVersion: 0 }] }),
    VAULT_NOT_FOUND: () => app.member("DeleteItems", { vaultId: "unknown", items: [seenItem] }, ada),
    ROLE_FORBIDS_DELETE: () => asViewer("DeleteItems", seenItem),
    SEQUENCE_EXHAUSTED: () => callExhausted("DeleteItems"),
  },
  RestoreItem: {
    INVALID_FIELD: invalid("RestoreItem", { itemId: "i-1", baseVersion: 0 }),
    SEQUENCE_EXHAUSTED: () => callExhausted("RestoreItem"),
  },
  CreateVault: {
    INVALID_FIELD: invalid("CreateVault", { vaultId: "family", key: newKey(), encryptedName: "bmFtZQ" }),
    async VAULT_ALREADY_EXISTS() {
      const { token, vaultId, key } = await ownVault();
      return app.member("CreateVault", { vaultId, key, encryptedName: "b3RoZXI" }, token);
    },
    TOO_MANY_VAULTS: createOneMore,
  },
  CreateVaultKey: {
    INVALID_FIELD: () => app.member("CreateVaultKey", { key: { ...newKey(), keyId: "1" } }, ada),
    VAULT_NOT_FOUND: async () =>
      app.member("CreateVaultKey", { key: newKey() }, await app.token({ principalId: "no-vault" })),
    ROLE_FORBIDS_CHANGE: () => asMember("CreateVaultKey", { key: newKey() }),
    async VAULT_KEY_EXISTS() {
      await app.admin("VaultAdminService/CreateVault", { tenantId, vaultId: "bea", retentionDays: 30 });
      await app.admin("VaultAdminService/SetVaultMember", {
        ...{ tenantId, vaultId: "bea", principalId: "bea", role: "owner" },
      });
      const bea = await app.token({ principalId: "bea" });
      expect((await app.member("CreateVaultKey", { key: newKey() }, bea)).status).toBe(200);
      return app.member("CreateVaultKey", { key: newKey() }, bea);
    },
  },
  RenameVault: {
    INVALID_FIELD: invalid("RenameVault", { revision: 0, encryptedName: "bmFtZQ" }),
    VAULT_NOT_FOUND: () => app.member("RenameVault", { vaultId: "unknown", revision: 1, encryptedName: "bmFtZQ" }, ada),
    ROLE_FORBIDS_CHANGE: () => asMember("RenameVault", { revision: 1, encryptedName: "bmFtZQ" }),
    VAULT_IS_PERMANENT: () => app.member("RenameVault", { vaultId, revision: 1, encryptedName: "bmFtZQ" }, ada),
    async VAULT_CHANGED() {
      const { token, vaultId: own } = await ownVault();
      return app.member("RenameVault", { vaultId: own, revision: 2, encryptedName: "b3RoZXI" }, token);
    },
  },
  DeleteVault: {
    INVALID_FIELD: () => app.member("DeleteVault", { vaultId: "/" }, ada),
    VAULT_NOT_FOUND: () => app.member("DeleteVault", { vaultId: "unknown" }, ada),
    ROLE_FORBIDS_CHANGE: () => asMember("DeleteVault", {}),
    VAULT_IS_PERMANENT: () => app.member("DeleteVault", { vaultId }, ada),
    async VAULT_NOT_EMPTY() {
      const { token, vaultId: own } = await ownVault();
      await app.member("PutItem", { vaultId: own, itemId: "i-1", baseVersion: 0, ...content }, token);
      return app.member("DeleteVault", { vaultId: own }, token);
    },
  },
};

describe("the pages of the reasons that no public operation has", () => {
  const folder = new URL("../../../../../docs/member-errors/", import.meta.url);
  // A missing one is a compile-time error.
  const own: Record<Exclude<OperationReasons[`${Service}/${Method}`], keyof typeof ErrorReason>, true> = {
    CURSOR_AHEAD: true,
    ITEM_SHREDDED: true,
    ROLE_FORBIDS_CHANGE: true,
    TOO_MANY_VAULTS: true,
    VAULT_ALREADY_EXISTS: true,
    VAULT_CHANGED: true,
    VAULT_IS_PERMANENT: true,
    VAULT_KEY_EXISTS: true,
    VAULT_NOT_EMPTY: true,
  };
  const reasons = Object.keys(own);

  it("are exactly one for each reason, and a list of them", async () => {
    const pages = reasons.map((reason) => `${reason}.md`);
    expect((await readdir(folder)).sort()).toEqual(["README.md", ...pages].sort());
  });

  it.each(reasons)("%s: the code and the status of the contract", async (reason) => {
    const { code = Code.Unknown, httpStatus } = internalContract.reasons.get(reason) ?? {};
    const name = codeToString(code);
    const page = await readFile(new URL(`${reason}.md`, folder), "utf8");
    expect(page).toMatch(new RegExp(`^# ${reason}: `));
    expect(page).toContain(`Code \`${name}\`, HTTP status ${httpStatus}.`);
    expect(await readFile(new URL("README.md", folder), "utf8")).toContain(
      `| [${reason}](${reason}.md) | ${name} | ${httpStatus} |`,
    );
  });
});

describe.each(Object.entries(failing))("the errors of %s", (_, reasons) => {
  it.each(Object.entries(reasons))("%s has the status of the contract and no content", async (reason, make) => {
    expect(reasonIn(await make())).toBe(reason);
  });
});
