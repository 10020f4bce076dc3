import { expect } from "vitest";
import { familyOfRecord, generationOfGrant } from "../../domain/refresh-family.js";
import type { RotateOutcome } from "../../domain/rotate-refresh-token.js";
import type { FakeClock } from "../fake-clock.js";
import { oauthClientId, principalId, tenantId } from "../storage-suite/fixture.js";
import { deleteOperation, exchangeOperation } from "./device-case.js";
import { openFamily, type Refresh, type Revoke } from "./family-driver.js";
import type { DeviceDriver } from "./run-device-cases.js";
import type { Section } from "./section.js";

/** How many access tokens of a family are valid at a time. */
const mostLiveGrants = 16;

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
  readonly section: Section;
  readonly title: string;
  readonly given: { readonly popKeyId?: string; readonly history: readonly FamilyEvent[] };
  readonly call: Refresh | Revoke;
  readonly outcome: FamilyOutcome;
}

/** Runs one case on a family of its own. @throws an error of `expect` */
export async function runFamilyCase(
  storage: DeviceDriver["storage"],
  clock: FakeClock,
  { given: { popKeyId = "", history }, call, outcome }: FamilyCase,
): Promise<void> {
  const settings = { allowed: [deleteOperation, exchangeOperation], enabled: true, active: true };
  const { familyId, scopes, issued, setUp, send, revoke, recordUse, read, isRevoked, events } = await openFamily(
    storage,
    clock,
    popKeyId,
  );
  const use = async (generation: number) => {
    const used = issued.findLast(({ grantId }) => (generationOfGrant(grantId)?.generation ?? 1) === generation);
    // An access token that was rejected is not in use.
    if (used !== undefined && !(await isRevoked(used))) await recordUse(generation);
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
    await setUp(settings.allowed, settings.enabled, settings.active);
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
    for (const [index, each] of issued.toReversed().entries())
      expect(await isRevoked(each)).toBe(index >= mostLiveGrants);
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
