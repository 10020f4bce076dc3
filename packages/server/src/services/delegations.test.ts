import { describe, expect, it, onTestFinished } from "vitest";
import type { Bounds, VaultAction } from "../domain/model/bounds.js";
import { type Delegation, delegations } from "../domain/model/delegation.js";
import type { Grant } from "../domain/model/grant.js";
import { refreshFamilyLife } from "../domain/model/refresh-family.js";
import { refOf, type Storage } from "../ports/storage.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { withoutCodeGrant } from "../testing/access-values.js";
import { content } from "../testing/cases/item-case.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createTokenIssuer } from "../tokens/issuer.js";
import { createKeyRing } from "../tokens/key-ring.js";
import { createMemoryKeyStore } from "../tokens/memory-key-store.js";
import { createProofKeys } from "../tokens/proof-keys.js";
import { createSecrets } from "../tokens/secrets.js";
import type { Call } from "./call.js";
import { createOperations } from "./operations.js";
import { readAccess } from "./read-access.js";

const tenantId = "t-1";
const scope = "vault.items:delete";
const codeVerifier = "a".repeat(43);
const redirectUri = "http://127.0.0.1/callback";

function callOf(principalId: string, delegation?: Delegation): Call {
  const actor = { tenantId, principalId, oauthClientId: "c-1", tokenId: "jti-1", operation: "any", requestId: "r-1" };
  return { actor, delegation, wanted: () => true };
}
const ada = callOf("ada");
const agent = callOf("");

function delegationOf(bounds: Bounds): Delegation {
  return {
    delegationId: "d-1",
    tenantId,
    principalId: "ada",
    oauthClientId: "c-1",
    bounds,
    deletions: 0,
    lastDeletionAt: undefined,
    endedAt: undefined,
    createdAt: 0,
    expiresAt: Date.UTC(2027),
  };
}

/** Creates the operations on an empty SQLite database in memory, and records what they ask of the storage. */
async function open() {
  const clock = fakeClock();
  const stored = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => stored.close());
  const asked: unknown[] = [];
  const storage: Storage = {
    ...stored,
    transact: (ref, rule, options) => {
      asked.push(ref);
      return stored.transact(ref, rule, options);
    },
    listChanges(query) {
      asked.push(query);
      return stored.listChanges(query);
    },
  };
  const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
  const issuer = createTokenIssuer({ keyRing, issuer: "iss", audience: "api", brokerAudience: "broker" });
  const secrets = createSecrets({ hmacKey: keyRing.hmacKey, clock });
  const requiredScopes = new Map([["any", [scope]]]);
  const operations = createOperations({
    storage,
    clock,
    trustedTime: clock.now,
    secrets,
    issuer,
    proofKeys: createProofKeys(),
    requiredScopes,
  });
  await operations.setPrincipal({ tenantId, principalId: "ada", active: true }, ada);
  const client = { ...withoutCodeGrant, tenantId, oauthClientId: "c-1", name: "C", allowedOperations: ["any"] };
  await operations.setOauthClient({ ...client, enabled: true }, ada);
  for (const vaultId of ["v-1", "v-2", "v-3", "v-4"]) {
    await operations.createVault({ tenantId, vaultId, retentionDays: 30 }, ada);
    await operations.setVaultMember({ tenantId, vaultId, principalId: "ada", role: "owner" }, ada);
  }
  return {
    clock,
    storage,
    operations,
    asked,
    /** Approves with an authorization code, and redeems it. */
    async approve(bounds: Bounds | undefined, refreshable = true) {
      const approved = {
        tenantId,
        principalId: "ada",
        oauthClientId: "c-1",
        scopes: [scope],
        bounds,
        redirectUri,
        codeChallenge: secrets.codeChallenge(codeVerifier),
        resource: "api",
        popKeyId: "",
        refreshable,
      };
      const code = (await operations.issueAuthorizationCode(approved, ada)) ?? expect.unreachable();
      const request = {
        code,
        codeVerifier,
        redirectUri,
        resource: undefined,
        idempotencyKey: undefined,
        proofKeyId: "",
      };
      return operations.redeemAuthorizationCode(request, agent);
    },
    find: async (delegationId: string) =>
      delegations.read((await stored.readRecords([delegations.key(tenantId, delegationId)]))[0]),
    list: () => operations.listDelegations({ tenantId, principalId: "ada" }),
  };
}
type Opened = Awaited<ReturnType<typeof open>>;

const item = { vaultId: "v-1", itemId: "i-1" };

/** The operations on an item or a vault, each with the action that its caller needs. */
const callsOf: Readonly<
  Record<string, readonly [VaultAction, (opened: Opened, call: Call) => Promise<{ readonly ok: boolean }>]>
> = {
  deleteItem: ["delete", ({ operations }, call) => operations.deleteItem({ ...item, baseVersion: 1 }, call)],
  getItem: ["read", ({ operations }, call) => operations.getItem({ access: "member", ...item }, call)],
  putItem: [
    "write",
    ({ operations }, call) => operations.putItem({ access: "member", ...item, ...content, baseVersion: 1 }, call),
  ],
  restoreItem: [
    "restore",
    ({ operations }, call) => operations.restoreItem({ access: "member", ...item, baseVersion: 2 }, call),
  ],
  listChanges: [
    "read",
    ({ operations }, call) =>
      operations.listChanges({ access: "member", vaultId: "v-1", afterSequence: 0, limit: 1 }, call),
  ],
};

describe("DECISIONS section 9: what a delegation does not allow does not exist for its callers", () => {
  const actions: readonly VaultAction[] = ["read", "write", "delete", "restore", "use"];

  it.each(Object.entries(callsOf))("%s asks the storage what it asks for a stranger", async (name, [action, call]) => {
    const opened = await open();
    const { operations, storage, clock, asked } = opened;
    await operations.putItem({ access: "administrator", tenantId, ...item, ...content, baseVersion: 0 }, ada);
    const within = delegationOf({ vaults: ["v-1"], actions: [action] });
    await storage.transact(refOf(), () => ({ outcome: undefined, writes: [delegations.create(within, clock.now())] }));
    if (name === "restoreItem") await operations.deleteItem({ ...item, baseVersion: 1 }, ada);
    const outside = [
      { vaults: ["v-2", "v-3"] },
      { vaults: [] },
      { actions: actions.filter((each) => each !== action) },
      { vaults: ["v-1"], actions: [] },
    ];
    asked.length = 0;
    const expected = { ok: false, reason: "VAULT_NOT_FOUND" };
    expect(await call(opened, callOf(""))).toEqual(expected);
    for (const bounds of outside) expect(await call(opened, callOf("ada", delegationOf(bounds)))).toEqual(expected);
    const [ofStranger, ...others] = asked;
    expect(others).toEqual(outside.map(() => ofStranger));
    expect(await call(opened, callOf("ada", within))).toMatchObject({ ok: true });
  });

  it.each([
    [{ vaults: ["v-4", "v-2", "v-9"] }, ["v-2", "v-4"]],
    [{ vaults: [] }, []],
    [{ actions: ["delete"] }, []],
    [{ actions: ["read"] }, ["v-1", "v-2", "v-3", "v-4"]],
  ] as const)("listVaults with %j lists %j, in pages of any size", async (bounds, expected) => {
    const { operations } = await open();
    for (const limit of [1, 2, 3, 9]) {
      const listed: string[] = [];
      let afterVaultId: string | undefined;
      for (let more = true; more; ) {
        const page = await operations.listVaults({ afterVaultId, limit }, callOf("ada", delegationOf(bounds)));
        listed.push(...page.vaults.map(({ vaultId }) => vaultId));
        expect(page.vaults.length).toBeLessThanOrEqual(limit);
        more = page.hasMore;
        afterVaultId = listed.at(-1);
      }
      expect(listed).toEqual(expected);
    }
  });
});

describe("DECISIONS section 9: one delegation for each approval", () => {
  it.each([
    { refreshable: true, life: refreshFamilyLife },
    { refreshable: false, life: 900_000 },
  ])("lasts as long as its tokens: refreshable $refreshable", async ({ refreshable, life }) => {
    const { approve, find, list, clock } = await open();
    const redeemed = await approve({ maxDeletions: 3 }, refreshable);
    if (!redeemed.ok) expect.unreachable(redeemed.reason);
    const { grantId } = redeemed.grant;
    expect(redeemed.grant.delegation).toEqual({ delegationId: grantId, bounds: { maxDeletions: 3 } });
    expect(await find(grantId)).toMatchObject({ deletions: 0, expiresAt: clock.now() + life });
    expect(await list()).toMatchObject([{ delegationId: grantId }]);
    clock.advance(life);
    expect(await list()).toEqual([]);
  });

  it("does not exist for an approval without bounds", async () => {
    const { approve, find, list } = await open();
    const redeemed = await approve(undefined);
    if (!redeemed.ok) expect.unreachable(redeemed.reason);
    expect(redeemed.grant).not.toHaveProperty("delegation");
    expect(await find(redeemed.grant.grantId)).toBeUndefined();
    expect(await list()).toEqual([]);
  });

  it("bounds that the person adds later end the tokens, and those of the next refresh have them", async () => {
    const { approve, operations, storage, list } = await open();
    const redeemed = await approve(undefined);
    if (!redeemed.ok) expect.unreachable(redeemed.reason);
    const { grant, refreshToken = "" } = redeemed;
    const isRevoked = async ({ grantId, accessTokenId }: Grant) => {
      const subject = { tenantId, principalId: "ada", oauthClientId: "c-1" };
      return (await readAccess(storage, { ...subject, grantId, tokenId: accessTokenId })).revoked;
    };
    const renew = async (token: string) => {
      const renewed = await operations.refreshTokens({ refreshToken: token, proofKeyId: "", scopes: undefined }, agent);
      return renewed.ok ? renewed : expect.unreachable(renewed.reason);
    };
    const second = await renew(refreshToken);
    const { grantId: delegationId } = grant;
    const bounds = { maxDeletions: 2 };
    const change = { delegationId, bounds, expected: {} };
    expect(await operations.changeDelegation(change, callOf("bob"))).toMatchObject({ reason: "DELEGATION_NOT_FOUND" });
    expect(await Promise.all([grant, second.grant].map(isRevoked))).toEqual([false, false]);

    expect(await operations.changeDelegation(change, ada)).toMatchObject({ ok: true });
    expect(await Promise.all([grant, second.grant].map(isRevoked))).toEqual([true, true]);
    expect(await operations.changeDelegation(change, ada)).toEqual({ ok: false, reason: "DELEGATION_CHANGED" });
    expect(await list()).toMatchObject([{ delegationId, bounds, deletions: 0 }]);
    // The answer to the refresh before was lost: the retry does not give the token that has ended.
    const retried = await renew(refreshToken);
    const next = await renew(retried.refreshToken);
    for (const renewed of [retried.grant, next.grant]) {
      expect(renewed.delegation).toEqual({ delegationId, bounds });
      expect(await isRevoked(renewed)).toBe(false);
    }
  });

  it("bounds cannot be added to tokens that are not renewed", async () => {
    const { approve, operations } = await open();
    const redeemed = await approve(undefined, false);
    if (!redeemed.ok) expect.unreachable(redeemed.reason);
    const change = { delegationId: redeemed.grant.grantId, bounds: { maxDeletions: 2 } };
    expect(await operations.changeDelegation(change, ada)).toEqual({ ok: false, reason: "DELEGATION_NOT_FOUND" });
  });

  it("an approval whose time is over before its code is redeemed gives no tokens", async () => {
    const { approve, clock, operations } = await open();
    expect(await approve({ expiresAt: clock.now() })).toEqual({ ok: false, reason: "CODE_INVALID" });
    const request = { tenantId, oauthClientId: "c-1", scopes: [scope], popPublicJwk: "" };
    const started = await operations.startDeviceAuthorization(request, ada);
    if (!started.ok) expect.unreachable(started.reason);
    const { deviceCode, userCode } = started;
    const approver = { tenantId, principalId: "ada", userCode };
    const bounds = { expiresAt: clock.now() + 1000 };
    expect(await operations.answerDeviceAuthorization(approver, { approve: [scope], bounds }, ada)).toEqual({
      ok: true,
    });
    clock.advance(1000);
    const input = { deviceCode, idempotencyKey: undefined };
    expect(await operations.exchangeDeviceCode(input, agent)).toEqual({ ok: true, status: "expired_token" });
  });

  it("is audited with its bounds when it is approved and opened", async () => {
    const { approve, storage } = await open();
    await approve({ maxDeletions: 3 });
    const { rows } = await storage.listAudit({ tenantId, limit: 20 });
    const events = rows.filter(({ subject }) => /^(delegation|authorization-code):/.test(subject));
    expect(events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(["opened: at most 3 deletions", "approved: at most 3 deletions"]),
    );
  });
});
