import { readdir, readFile } from "node:fs/promises";
import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import { content } from "@platform-rpc/accounts/testing/item-content";
import type { ErrorReason } from "@platform-rpc/types";
import type { OperationReasons } from "@platform-rpc/types-internal/operation-reasons";
import { afterAll, describe, expect, it } from "vitest";
import { type Answered, call } from "../../../src/testing/call.js";
import { reasonIn } from "../../../src/testing/item-answer.js";
import { approvedAgent } from "./testing/approved-agent.js";
import { startMemberApp, tenantId } from "./testing/start-member-app.js";

type Service = `platform.accounts.v1.${"MemberVault" | "ItemUse"}Service`;

/** The reasons that no public operation has. */
type MemberReason = Exclude<
  OperationReasons[Extract<keyof OperationReasons, `${Service}/${string}`>],
  keyof typeof ErrorReason
>;

const app = await startMemberApp();
const ada = await app.token({ principalId: "ada" });
const vaultId = await app.vault({ ada: "owner" });
afterAll(() => app.end());

const uuid = () => crypto.randomUUID();
const ofBrowser = { oauthClientId: "platform-console" };
const newKey = () => ({ keyId: uuid(), wrappedKey: "d3JhcHBlZA" });

/** Creates a vault of a new person, and returns it with their token. */
async function ownVault() {
  const principalId = uuid();
  const token = await app.token({ principalId });
  const created = { vaultId: uuid(), key: newKey(), encryptedName: "bmFtZQ" };
  expect((await app.member("CreateVault", created, token)).status).toBe(200);
  return { ...created, principalId, token };
}

async function use({ tokenId }: { readonly tokenId: string }) {
  const itemId = `i-${uuid()}`;
  await app.member("PutItem", { vaultId, itemId, baseVersion: 0, ...content }, ada);
  const request = { vaultId, itemId, baseVersion: 1, tokenId, host: "api.example", useId: uuid() };
  const token = await app.token({ principalId: "ada", scopes: ["vault.items:use"] });
  return call(app.accountsUrl, "platform.accounts.v1.ItemUseService/UseItem", request, token);
}

/** For each reason that no row of testing/cases has: a call that causes it. A missing one is a compile-time error. */
const failing: Readonly<Record<Exclude<MemberReason, "CURSOR_AHEAD" | "ITEM_SHREDDED">, () => Promise<Answered>>> = {
  async ROLE_FORBIDS_CHANGE() {
    const { vaultId: own, principalId, token } = await ownVault();
    await app.admin("VaultAdminService/SetVaultMember", { tenantId, vaultId: own, principalId, role: "admin" });
    return app.member("DeleteVault", { vaultId: own }, token);
  },
  async TOO_MANY_VAULTS() {
    const principalId = uuid();
    for (let index = 0; index < 50; index += 1) await app.vault({ [principalId]: "owner" });
    const created = { vaultId: uuid(), key: newKey(), encryptedName: "bmFtZQ" };
    return app.member("CreateVault", created, await app.token({ principalId }));
  },
  async VAULT_ALREADY_EXISTS() {
    const { token, vaultId, key } = await ownVault();
    return app.member("CreateVault", { vaultId, key, encryptedName: "b3RoZXI" }, token);
  },
  async VAULT_CHANGED() {
    const { token, vaultId: own } = await ownVault();
    return app.member("RenameVault", { vaultId: own, revision: 2, encryptedName: "b3RoZXI" }, token);
  },
  VAULT_IS_PERMANENT: () => app.member("DeleteVault", { vaultId }, ada),
  async VAULT_KEY_EXISTS() {
    await app.admin("VaultAdminService/CreateVault", { tenantId, vaultId: "bea", retentionDays: 30 });
    await app.admin("VaultAdminService/SetVaultMember", {
      ...{ tenantId, vaultId: "bea", principalId: "bea", role: "owner" },
    });
    const bea = await app.token({ principalId: "bea", ...ofBrowser });
    expect((await app.member("CreateVaultKey", { key: newKey() }, bea)).status).toBe(200);
    return app.member("CreateVaultKey", { key: newKey() }, bea);
  },
  async USE_APPROVAL_ENDED() {
    return use({ tokenId: "unknown" });
  },
  async USE_NOT_APPROVED() {
    return use(await approvedAgent(app, "ada", { hosts: ["other.example"] }));
  },
  async USE_NOT_CONFIRMED() {
    return use(await approvedAgent(app, "ada", { asksEachTime: true }));
  },
  async VAULT_NOT_EMPTY() {
    const { token, vaultId: own } = await ownVault();
    await app.member("PutItem", { vaultId: own, itemId: "i-1", baseVersion: 0, ...content }, token);
    return app.member("DeleteVault", { vaultId: own }, token);
  },
};

describe("the errors of members", () => {
  it.each(Object.entries(failing))("%s has the status of the contract and no content", async (reason, make) => {
    expect(reasonIn(await make())).toBe(reason);
  });

  it("VAULT_NOT_FOUND: a person without a personal vault gets no key for it", async () => {
    const token = await app.token({ principalId: "no-vault", ...ofBrowser });
    expect(reasonIn(await app.member("CreateVaultKey", { key: newKey() }, token))).toBe("VAULT_NOT_FOUND");
  });

  it.each([
    ["RenameVault", { revision: 1, encryptedName: "bmFtZQ" }],
    ["CreateVaultKey", { key: newKey() }],
  ])("ROLE_FORBIDS_CHANGE: only an owner calls %s", async (method, body) => {
    const principalId = uuid();
    await app.admin("VaultAdminService/CreateVault", { tenantId, vaultId: principalId, retentionDays: 30 });
    await app.admin("VaultAdminService/SetVaultMember", { tenantId, vaultId: principalId, principalId, role: "admin" });
    const token = await app.token({ principalId, ...ofBrowser });
    const answer = await app.member(method, { vaultId: principalId, ...body }, token);
    expect(reasonIn(answer)).toBe("ROLE_FORBIDS_CHANGE");
  });

  it("TOKEN_NOT_ALLOWLISTED: a program that may manage vaults, and is allowed the operation, sets no key of a personal vault", async () => {
    const principalId = uuid();
    const personal = { tenantId, vaultId: principalId };
    await app.admin("VaultAdminService/CreateVault", { ...personal, retentionDays: 30 });
    await app.admin("VaultAdminService/SetVaultMember", { ...personal, principalId, role: "owner" });
    const set = async (token: string) => app.member("CreateVaultKey", { key: newKey() }, token);
    expect(reasonIn(await set(await app.token({ principalId })))).toBe("TOKEN_NOT_ALLOWLISTED");
    expect((await set(await app.token({ principalId, ...ofBrowser }))).status).toBe(200);
  });

  it.each([
    ["PutItems", "ROLE_FORBIDS_CHANGE"],
    ["DeleteItems", "ROLE_FORBIDS_DELETE"],
  ])("a viewer who calls %s gets %s for the whole call", async (method, reason) => {
    const readOnly = await app.vault({ ada: "viewer" });
    const items = [{ itemId: "i-1", baseVersion: 1, ...(method === "PutItems" && content) }];
    expect(reasonIn(await app.member(method, { vaultId: readOnly, items }, ada))).toBe(reason);
  });
});

describe("the pages of the reasons that no public operation has", () => {
  const folder = new URL("../../../../../docs/member-errors/", import.meta.url);
  const reasons = [...Object.keys(failing), "CURSOR_AHEAD", "ITEM_SHREDDED"];

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
