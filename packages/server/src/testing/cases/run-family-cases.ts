import { expect } from "vitest";
import type { Grant } from "../../domain/grant.js";
import { openRefreshFamily } from "../../domain/open-refresh-family.js";
import { recordTokenUse } from "../../domain/record-token-use.js";
import { familyOfRecord, generationOfGrant, refreshFamilies } from "../../domain/refresh-family.js";
import { type RevokedBy, revokeRefreshFamily } from "../../domain/revoke-refresh-family.js";
import { type RotateOutcome, rotateRefreshToken } from "../../domain/rotate-refresh-token.js";
import type { FakeClock } from "../fake-clock.js";
import { createDeviceFixture, requiredScopes } from "../storage-suite/device-fixture.js";
import { actor, oauthClientId, principalId, tenantId } from "../storage-suite/fixture.js";
import { commitWrites, readRecordSnapshot } from "../storage-suite/rules.js";
import { deleteOperation, deleteScope, exchangeOperation, exchangeScope } from "./device-case.js";
import type { DeviceDriver } from "./run-device-cases.js";

/** Sends the refresh token of a generation. */
export interface Refresh {
  readonly refresh: number;
  /** The thumbprint of the key of which the caller has a proof; empty without a proof. Default: that of the family. */
  readonly proof?: string;
  /** Default: the OAuth client of the family. */
  readonly by?: "another client" | "another tenant";
  /** Default: all that were approved. */
  readonly scopes?: readonly string[];
}

export interface Revoke {
  readonly revoke: RevokedBy;
  readonly by?: "another client" | "another person" | "another tenant" | undefined;
}

export type FamilyEvent =
  | Refresh
  | Revoke
  /** The newest access token of a generation is used, and that is recorded. */
  | { readonly use: number }
  | { readonly passMs: number }
  | { readonly stepBackMs: number }
  | { readonly principal: "inactive" }
  | { readonly allowed: readonly string[] }
  | "the client is disabled";

export type FamilyOutcome =
  /** The next refresh token, and a new access token or the newest one. */
  | {
      readonly generation: number;
      readonly access: "new" | "same";
      /** Default: all that were approved. */
      readonly scopes?: readonly string[];
      /** Default: the key of which the caller has a proof. */
      readonly popKeyId?: string;
      /** Default: 900. */
      readonly lifeSeconds?: number;
    }
  /** With `why`, the family and all of its access tokens are revoked. Otherwise, nothing changes. */
  | { readonly reason: Extract<RotateOutcome, { ok: false }>["reason"]; readonly why?: string }
  /** `before`: the revocation of a family that has ended succeeds, and changes nothing. */
  | { readonly revoked: boolean | "before" };

/** A row: the same call with the same outcome for the rules, and for every storage. */
export interface FamilyCase {
  readonly section: string;
  readonly title: string;
  readonly given: { readonly popKeyId?: string; readonly history: readonly FamilyEvent[] };
  readonly call: Refresh | Revoke;
  readonly outcome: FamilyOutcome;
}

let families = 0;

/** Runs one case on a family of its own. @throws an error of `expect` */
export async function runFamilyCase(
  storage: DeviceDriver["storage"],
  clock: FakeClock,
  { given: { popKeyId = "", history }, call, outcome }: FamilyCase,
): Promise<void> {
  const { setUp } = createDeviceFixture(storage, clock);
  const settings = { allowed: [deleteOperation, exchangeOperation], enabled: true, active: true };
  const apply = () => setUp(settings.allowed, settings.enabled, settings.active);
  // Tokens have whole seconds.
  clock.advance(1000 - (clock.now() % 1000));
  await apply();
  families += 1;
  const familyId = `family-${families}`;
  const ref = { kind: "record", collection: refreshFamilies, key: familyId } as const;
  const scopes = [exchangeScope, deleteScope];
  const issuedAt = Math.floor(clock.now() / 1000);
  const first: Grant = {
    ...{ grantId: familyId, tenantId, principalId, oauthClientId, scopes, keyId: "key-1", popKeyId, issuedAt },
    ...{ expiresAt: issuedAt + 900, accessTokenId: `access-${familyId}`, brokerTokenId: "" },
  };
  const opening = [{ kind: "grant", grant: first } as const, ...openRefreshFamily(first, actor, clock.now())];
  await storage.transact({ kind: "nothing" }, commitWrites(opening));
  const issued = [first];
  let drawn = 0;

  const read = async () => (await storage.transact(ref, readRecordSnapshot())).outcome.record;
  const isRevoked = async ({ grantId }: Grant) =>
    (await storage.readAccess({ tenantId, principalId, oauthClientId, tokenId: "any", grantId })).revoked;
  const events = async () => {
    const { rows } = await storage.listAudit({ tenantId, limit: 30 });
    return rows.filter(({ subject, event }) => `${subject} ${event}`.includes(familyId)).map(({ event }) => event);
  };
  const callerOf = ({ by }: Pick<Refresh | Revoke, "by">) => ({
    ...actor,
    tenantId: by === "another tenant" ? "tenant-2" : tenantId,
    principalId: by === "another person" ? "principal-2" : principalId,
    oauthClientId: by === "another client" ? "another-client" : oauthClientId,
  });
  const send = async (each: Refresh): Promise<RotateOutcome> => {
    drawn += 1;
    const ids = { grantId: `grant-${drawn}`, accessTokenId: `access-${familyId}-${drawn}`, brokerTokenId: "" };
    const { refresh: generation, proof: proofKeyId = popKeyId, scopes: wanted } = each;
    const input = { ...ids, keyId: "key-1", requiredScopes, generation, proofKeyId, scopes: wanted };
    const rule = rotateRefreshToken(input, callerOf(each), clock.now());
    const { outcome: result } = await storage.transact(ref, rule);
    if (result.ok && !issued.some(({ grantId }) => grantId === result.grant.grantId)) issued.push(result.grant);
    return result;
  };
  const revoke = async (each: Revoke) =>
    (await storage.transact(ref, revokeRefreshFamily(each.revoke, "signed out", callerOf(each), clock.now()))).outcome;
  const use = async (generation: number) => {
    const used = issued.findLast(({ grantId }) => (generationOfGrant(grantId)?.generation ?? 1) === generation);
    // An access token that was rejected is not in use.
    if (used === undefined || (await isRevoked(used))) return;
    await storage.transact(ref, recordTokenUse(generation, tenantId, clock.now()));
  };

  for (const event of history) {
    if (event === "the client is disabled") settings.enabled = false;
    else if ("refresh" in event) await send(event);
    else if ("revoke" in event) await revoke(event);
    else if ("use" in event) await use(event.use);
    else if ("passMs" in event) clock.advance(event.passMs);
    else if ("stepBackMs" in event) clock.step(-event.stepBackMs);
    else if ("allowed" in event) settings.allowed = [...event.allowed];
    else settings.active = false;
    await apply();
  }
  const before = await read();
  const known = [...issued];
  const audited = await events();

  const result = "refresh" in call ? await send(call) : await revoke(call);

  const added = (await events()).slice(0, -audited.length);
  const why =
    "why" in outcome ? outcome.why : "revoked" in outcome && outcome.revoked === true ? "signed out" : undefined;
  if ("generation" in outcome && "refresh" in call) {
    const now = Math.floor(clock.now() / 1000);
    const { generation, access, lifeSeconds = 900, scopes: granted = scopes } = outcome;
    const grant = issued.at(-1);
    expect(result).toEqual({ ok: true, generation, grant, resource: undefined });
    expect(issued.length - known.length, "new access tokens").toBe(access === "new" ? 1 : 0);
    const bound = outcome.popKeyId ?? call.proof ?? popKeyId;
    expect(grant).toMatchObject({ tenantId, principalId, oauthClientId, scopes: granted, popKeyId: bound });
    if (access === "same") expect(await read()).toEqual(before);
    else {
      expect(grant).toMatchObject({ issuedAt: now, expiresAt: now + lifeSeconds });
      const after = await read();
      expect(after && familyOfRecord(after)).toMatchObject({ generation, newestGrant: grant, scopes, popKeyId });
      expect(grant && generationOfGrant(grant.grantId)).toEqual({ familyId, generation });
    }
    expect(added).toEqual(access === "new" ? [`granted by refresh-family:${familyId}`] : []);
    for (const each of issued) expect(await isRevoked(each)).toBe(false);
    return;
  }
  if ("reason" in outcome) expect(result).toEqual({ ok: false, reason: outcome.reason });
  else if ("revoked" in outcome) expect(result).toEqual({ ok: outcome.revoked !== false });
  expect(added).toEqual(why === undefined ? [] : [`revoked: ${why}`]);
  if (why === undefined) return expect(await read()).toEqual(before);
  const valid = issued.filter(({ expiresAt }) => clock.now() < expiresAt * 1000);
  expect(await Promise.all(valid.map(isRevoked))).toEqual(valid.map(() => true));
  for (const generation of [1, 2, 3, 4]) {
    expect(await send({ refresh: generation })).toEqual({ ok: false, reason: "REFRESH_TOKEN_INVALID" });
  }
}
