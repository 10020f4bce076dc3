import { expect } from "vitest";
import { authorizationCodes, newAuthorizationCode, recordOfCode } from "../../domain/authorization-code.js";
import type { Grant } from "../../domain/grant.js";
import { type RedeemCodeOutcome, redeemAuthorizationCode } from "../../domain/redeem-authorization-code.js";
import { familyOfRecord, refreshFamilies } from "../../domain/refresh-family.js";
import { revokeRefreshFamily } from "../../domain/revoke-refresh-family.js";
import { rotateRefreshToken } from "../../domain/rotate-refresh-token.js";
import type { FakeClock } from "../fake-clock.js";
import { createDeviceFixture, requiredScopes } from "../storage-suite/device-fixture.js";
import { actor, oauthClientId, principalId, tenantId } from "../storage-suite/fixture.js";
import { commitWrites, readRecordSnapshot } from "../storage-suite/rules.js";
import { deleteOperation, deleteScope, exchangeOperation, exchangeScope } from "./device-case.js";
import type { DeviceDriver } from "./run-device-cases.js";
import type { Section } from "./section.js";

/** What a token request sends. Default of each: what the client sends that asked for the code. */
export interface Redeem {
  readonly by?: "another client" | "another tenant" | undefined;
  readonly code?: "unknown" | "of another grant" | undefined;
  readonly redirectUri?: "another" | "none" | undefined;
  readonly verifier?: "another" | undefined;
  readonly resource?: "another" | "none" | undefined;
  /** The thumbprint of the key of which the caller has a proof; empty without a proof, by default. */
  readonly proof?: string | undefined;
  /** What identifies a retry. */
  readonly retry?: "another" | "none" | undefined;
}

export type CodeEvent =
  | Redeem
  | "its first refresh token is used"
  | "its refresh family is revoked"
  | { readonly passMs: number }
  | { readonly principal: "active" | "inactive" }
  | { readonly allowed: readonly string[] };

export type CodeOutcome =
  /** A new grant, with its refresh family if the code gives one. Defaults: all approved scopes, and no key. */
  | { readonly granted: { readonly scopes?: readonly string[]; readonly popKeyId?: string } }
  | "the first answer"
  /** With `revokes`, what the code gave is revoked. Otherwise, nothing changes. */
  | { readonly reason: Extract<RedeemCodeOutcome, { ok: false }>["reason"]; readonly revokes?: true };

/** A row: the same call with the same outcome for the rules, and for every storage. */
export interface CodeCase {
  readonly section: Section;
  readonly title: string;
  readonly given: {
    readonly popKeyId?: string;
    /** Default: true. */
    readonly refreshable?: boolean;
    readonly history: readonly CodeEvent[];
  };
  readonly call: Redeem;
  readonly outcome: CodeOutcome;
}

const resource = "urn:suite:api";
const redirectUri = "http://127.0.0.1/callback";
let issuedCodes = 0;

/** Issues a code, and returns the calls on it. */
export async function issueCode(
  storage: DeviceDriver["storage"],
  clock: FakeClock,
  { popKeyId = "", refreshable = true }: { readonly popKeyId?: string; readonly refreshable?: boolean } = {},
) {
  issuedCodes += 1;
  const [codeHash, grantId] = [`code-${issuedCodes}`, `granted-${issuedCodes}`];
  const owner = { tenantId, principalId, oauthClientId };
  const scopes = [exchangeScope, deleteScope];
  const approved = { ...owner, scopes, redirectUri, codeChallenge: "challenge", resource, popKeyId, refreshable };
  const record = { ...recordOfCode(newAuthorizationCode(approved, { codeHash, grantId }, clock.now())), revision: 1 };
  await storage.transact({ kind: "nothing" }, commitWrites([{ kind: "record", record }]));
  const family = { collection: refreshFamilies, key: grantId };
  let drawn = 0;
  const drawIds = () => {
    drawn += 1;
    return { accessTokenId: `access-${grantId}-${drawn}`, brokerTokenId: `broker-${grantId}-${drawn}`, keyId: "key-1" };
  };
  const recordOf = async (key: { readonly collection: string; readonly key: string }) =>
    (await storage.transact({ kind: "record", ...key }, readRecordSnapshot())).outcome.record;

  return {
    approved,
    grantId,
    async redeem(sent: Redeem = {}): Promise<RedeemCodeOutcome> {
      const { by, code, retry, proof: proofKeyId = "" } = sent;
      const sentUri = { another: "http://127.0.0.1/other", none: undefined };
      const sentResource = { another: "urn:suite:other", none: undefined };
      const input = {
        ...{ ...drawIds(), requiredScopes, proofKeyId },
        grantId: code === "of another grant" ? "another-grant" : grantId,
        redirectUri: sent.redirectUri === undefined ? redirectUri : sentUri[sent.redirectUri],
        resource: sent.resource === undefined ? resource : sentResource[sent.resource],
        codeChallenge: sent.verifier ?? "challenge",
        retryKeyHash: retry === "none" ? undefined : (retry ?? "retry"),
      };
      const caller = {
        ...actor,
        tenantId: by === "another tenant" ? "tenant-2" : tenantId,
        oauthClientId: by === "another client" ? "another-client" : oauthClientId,
      };
      const keys = [{ collection: authorizationCodes, key: code === "unknown" ? "unknown" : codeHash }, family];
      const rule = redeemAuthorizationCode(input, caller, clock.now());
      return (await storage.transact({ kind: "records", keys }, rule)).outcome;
    },
    /** Uses the first refresh token. */
    async refresh() {
      const ids = { ...drawIds(), grantId: `next-${issuedCodes}` };
      const input = { ...ids, requiredScopes, generation: 1, proofKeyId: popKeyId, scopes: undefined };
      const rule = rotateRefreshToken(input, actor, clock.now());
      return (await storage.transact({ kind: "record", ...family }, rule)).outcome;
    },
    async revokeFamily(): Promise<void> {
      const rule = revokeRefreshFamily("its OAuth client", "signed out", actor, clock.now());
      await storage.transact({ kind: "record", ...family }, rule);
    },
    records: async () => [await recordOf({ collection: authorizationCodes, key: codeHash }), await recordOf(family)],
    isRevoked: async (grant: Grant) =>
      (await storage.readAccess({ ...owner, tokenId: "any", grantId: grant.grantId })).revoked,
    /** Returns the events of the grant and its family in the audit trail, the oldest first. */
    async events(): Promise<string[]> {
      const { rows } = await storage.listAudit({ tenantId, before: undefined, limit: 100 });
      const subjects = [`grant:${grantId}`, `refresh-family:${grantId}`];
      const own = rows.filter(({ subject }) => subjects.includes(subject));
      return own.map(({ event, versionBefore, versionAfter }) => `${event} ${versionBefore} ${versionAfter}`).reverse();
    },
  };
}

/** Runs one case on a code of its own. @throws an error of `expect` */
export async function runCodeCase(
  storage: DeviceDriver["storage"],
  clock: FakeClock,
  { given: { history, ...given }, call, outcome }: CodeCase,
): Promise<void> {
  const { setUp } = createDeviceFixture(storage, clock);
  const settings = { allowed: [deleteOperation, exchangeOperation], active: true };
  const apply = () => setUp(settings.allowed, true, settings.active);
  await apply();
  const code = await issueCode(storage, clock, given);
  const grants: Grant[] = [];
  let first: RedeemCodeOutcome | undefined;

  for (const event of history) {
    if (event === "its refresh family is revoked") await code.revokeFamily();
    else if (event === "its first refresh token is used") {
      const refreshed = await code.refresh();
      if (refreshed.ok) grants.push(refreshed.grant);
    } else if ("passMs" in event) clock.advance(event.passMs);
    else if ("principal" in event) settings.active = event.principal === "active";
    else if ("allowed" in event) settings.allowed = [...event.allowed];
    else {
      const redeemed = await code.redeem(event);
      if (redeemed.ok) grants.push(redeemed.grant);
      if (redeemed.ok) first ??= redeemed;
    }
    await apply();
  }
  const before = await code.records();
  const audited = await code.events();

  const result = await code.redeem(call);

  const added = (await code.events()).slice(audited.length);
  const { refreshable = true } = given;
  if (outcome !== "the first answer" && "granted" in outcome) {
    const { scopes = code.approved.scopes, popKeyId = "" } = outcome.granted;
    const issuedAt = Math.floor(clock.now() / 1000);
    const { grantId } = code;
    const grant = expect.objectContaining({
      ...{ grantId, tenantId, principalId, oauthClientId, scopes, popKeyId, keyId: "key-1" },
      ...{ issuedAt, expiresAt: issuedAt + 900 },
    });
    expect(result).toEqual({ ok: true, grant, refreshable, resource });
    const [stored, family] = await code.records();
    expect(stored?.revision).toBe(2);
    expect(family && familyOfRecord(family)).toEqual(
      refreshable
        ? expect.objectContaining({ familyId: grantId, generation: 1, scopes, popKeyId, resource })
        : undefined,
    );
    expect(added).toEqual(refreshable ? ["granted 0 0", "opened 0 1"] : ["granted 0 0"]);
    expect(result.ok && (await code.isRevoked(result.grant))).toBe(false);
    return;
  }
  expect(result).toEqual(outcome === "the first answer" ? first : { ok: false, reason: outcome.reason });
  if (outcome === "the first answer" || !outcome.revokes) {
    expect(added).toEqual([]);
    return expect(await code.records()).toEqual(before);
  }
  const why = expect.stringMatching(/^revoked: authorization code used again /);
  expect(added).toEqual(refreshable ? [why, why] : [why]);
  expect(await Promise.all(grants.map(code.isRevoked))).toEqual(grants.map(() => true));
  expect(await code.refresh()).toEqual({ ok: false, reason: "REFRESH_TOKEN_INVALID" });
  // Without a family, a retry is answered with the tokens that are revoked.
  if (refreshable) expect(await code.redeem()).toEqual({ ok: false, reason: "CODE_REUSED" });
}
