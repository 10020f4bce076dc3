import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { StorageError } from "@platform-rpc/server";
import { ErrorReason } from "@platform-rpc/types";
import type { OperationReasons } from "@platform-rpc/types-internal/operation-reasons";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ownCall } from "../../platform/own-call.js";
import { internalContract } from "../../rpc/reasons.js";
import { readSettings } from "../../settings/settings.js";
import { type Answered, call, errorIn } from "../../testing/call.js";
import { inMemoryPlatform } from "../../testing/in-memory-platform.js";
import { createMemberListener } from "./member-listener.js";
import { content, type MemberApp, scopes, startMemberApp, tenantId } from "./testing/start-member-app.js";

type Service = "platform.accounts.v1.MemberVaultService";
type Method = keyof OperationReasons extends infer Name ? (Name extends `${Service}/${infer M}` ? M : never) : never;

let app: MemberApp;
let ada: string;
let vaultId: string;
/** A vault that shreds deleted items at once. */
let shredding: string;
beforeAll(async () => {
  app = await startMemberApp();
  ada = await app.token({ principalId: "ada" });
  vaultId = await app.vault({ ada: "owner", eve: "viewer" });
  shredding = await app.vault({ ada: "owner" }, 0);
  await app.deleted({ vaultId, itemId: "tombstone" }, ada);
  await app.deleted({ vaultId: shredding, itemId: "shredded" }, ada);
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
    settings: readSettings({}),
    platform: {
      ...platform,
      operations: { ...platform.operations, putItemAsMember: exhausted, restoreItemAsMember: exhausted },
    },
    logger: { info() {}, error() {} },
    tracing: undefined,
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
  const body = { vaultId, itemId: "i-1", baseVersion: 1, ...(method === "PutItem" && content) };
  return call(`http://127.0.0.1:${port}`, `platform.accounts.v1.MemberVaultService/${method}`, body, accessToken);
}

const eve = () => app.token({ principalId: "eve" });
const list = (body: object) => () => app.member("ListChanges", { vaultId, limit: 1, ...body }, ada);
const get = (body: object) => () => app.member("GetItem", { vaultId, itemId: "tombstone", ...body }, ada);
const put = (body: object) => () =>
  app.member("PutItem", { vaultId, itemId: "tombstone", baseVersion: 2, ...content, ...body }, ada);
const restore = (body: object) => () =>
  app.member("RestoreItem", { vaultId, itemId: "tombstone", baseVersion: 2, ...body }, ada);

/** A call for each reason that an operation lists. A missing one is a compile-time error. */
const failing: { [M in Method]: Record<OperationReasons[`${Service}/${M}`], () => Promise<Answered>> } = {
  ListVaults: { INVALID_FIELD: () => app.member("ListVaults", { pageSize: 101, pageToken: "/" }, ada) },
  ListChanges: {
    INVALID_FIELD: list({ limit: 501, waitSeconds: 26 }),
    VAULT_NOT_FOUND: list({ vaultId: "none" }),
    CURSOR_AHEAD: list({ afterSequence: 99 }),
  },
  GetItem: {
    INVALID_FIELD: get({ itemId: "" }),
    VAULT_NOT_FOUND: get({ vaultId: "none" }),
    ITEM_NOT_FOUND: get({ itemId: "none" }),
  },
  PutItem: {
    INVALID_FIELD: put({ itemId: "", kind: "" }),
    VAULT_NOT_FOUND: put({ vaultId: "none" }),
    ROLE_FORBIDS_CHANGE: async () =>
      app.member("PutItem", { vaultId, itemId: "none", baseVersion: 0, ...content }, await eve()),
    ITEM_NOT_FOUND: put({ itemId: "none" }),
    VERSION_CONFLICT: put({}),
    SEQUENCE_EXHAUSTED: () => callExhausted("PutItem"),
  },
  RestoreItem: {
    INVALID_FIELD: restore({ baseVersion: 0 }),
    VAULT_NOT_FOUND: restore({ vaultId: "none" }),
    ROLE_FORBIDS_CHANGE: async () =>
      app.member("RestoreItem", { vaultId, itemId: "none", baseVersion: 1 }, await eve()),
    ITEM_NOT_FOUND: restore({ itemId: "none" }),
    VERSION_CONFLICT: restore({ baseVersion: 1 }),
    ITEM_SHREDDED: () => app.member("RestoreItem", { vaultId: shredding, itemId: "shredded", baseVersion: 2 }, ada),
    SEQUENCE_EXHAUSTED: () => callExhausted("RestoreItem"),
  },
};

describe("the pages of the reasons that no public operation has", () => {
  const folder = new URL("../../../../../docs/member-errors/", import.meta.url);
  const all = new Set(Object.values(failing).flatMap(Object.keys));
  const reasons = [...all].filter((reason) => !Object.hasOwn(ErrorReason, reason));

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
  it.each(Object.entries(reasons))("%s has the status of the contract and names no content", async (reason, make) => {
    const answer = await make();
    expect(errorIn(answer)).toMatchObject({ reason, status: internalContract.reasons.get(reason)?.httpStatus });
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.text).not.toContain(content.encryptedPayload.ciphertext);
  });
});
