import { describe, expect, it } from "vitest";
import type { Grant } from "../../domain/model/grant.js";
import { generationOfGrant } from "../../domain/model/refresh-family.js";
import { deleteOperation, deleteScope, exchangeOperation, exchangeScope } from "./device-case.js";
import { type FamilyDriver, familyIn, type Refresh, type Revoke, revocationBy } from "./family-driver.js";
import type { Section } from "./section.js";

/** How many access tokens of a family are valid at a time. */
const mostLiveGrants = 16;

/** What happens before the call. */
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

/** What must come out, and with it what is written, and what is in the audit trail. */
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
  | { readonly reason: string; readonly why?: string }
  /** `before`: the revocation of a family that has ended succeeds, and changes nothing. */
  | { readonly revoked: boolean | "before" };

/** A row: the same call with the same outcome for the rules, for every storage, and for the token endpoint. */
export interface FamilyCase {
  readonly section: Section;
  readonly title: string;
  readonly given: { readonly popKeyId?: string; readonly history: readonly FamilyEvent[] };
  readonly call: Refresh | Revoke;
  readonly outcome: FamilyOutcome;
}

/** Which cases a way in runs. Default: every case. */
export interface FamilyDriverScope {
  /** False: it serves one tenant. */
  readonly tenants?: boolean;
  /** For another way to the same rules: one case of each outcome shows that it passes requests and responses on. */
  readonly outcomes?: "one of each";
}

/** Selects the cases that a driver can run. */
function familyCasesFor(cases: readonly FamilyCase[], scope: FamilyDriverScope): readonly FamilyCase[] {
  const possible = cases.filter(({ call }) => scope.tenants !== false || call.by !== "another tenant");
  if (scope.outcomes === undefined) return possible;
  return [...new Map(possible.map((each) => [nameOf(each), each])).values()];
}

function nameOf({ given: { popKeyId = "" }, outcome }: FamilyCase): string {
  if ("reason" in outcome) return outcome.reason;
  if ("revoked" in outcome) return `revoked ${outcome.revoked}`;
  return `${outcome.access} tokens, ${popKeyId === "" ? "without" : "with"} a key`;
}

/** Defines a test for each case. */
export function describeFamilyCases(
  name: string,
  cases: readonly FamilyCase[],
  scope: FamilyDriverScope,
  open: () => FamilyDriver,
): void {
  describe(name, () => {
    it.each(familyCasesFor(cases, scope))("$title ($section)", (each) => runFamilyCase(open(), each));
  });
}

const scopes = [exchangeScope, deleteScope];

/** Runs one case on a new family. @throws an error of `expect` */
export async function runFamilyCase(
  driver: FamilyDriver,
  { given: { popKeyId = "", history }, call, outcome }: FamilyCase,
): Promise<void> {
  const { clock, errorOf = (reason: string) => reason } = driver;
  const settings = { approverActive: true, allowedOperations: [deleteOperation, exchangeOperation], enabled: true };
  await driver.setUp(settings);
  // Tokens have whole seconds.
  clock.advance(1000 - (clock.now() % 1000));
  const { familyId, send, revoke } = await driver.open(popKeyId);
  const { read, recordUse, isRevoked, events } = familyIn(driver, familyId);
  const issued: Grant[] = [];
  /** Adds the newest grant to those that were issued. */
  const note = async () => {
    const newest = (await read())?.newestGrant;
    if (newest !== undefined && newest.grantId !== issued.at(-1)?.grantId) issued.push(newest);
  };
  const use = async (generation: number) => {
    const used = issued.findLast(({ grantId }) => (generationOfGrant(grantId)?.generation ?? 1) === generation);
    // An access token that was rejected is not in use.
    if (used !== undefined && !(await isRevoked(used))) await recordUse(generation);
  };
  await note();

  for (const event of history) {
    if (event === "the client is disabled") settings.enabled = false;
    else if ("refresh" in event) {
      await send(event);
      await note();
    } else if ("revoke" in event) await revoke(event);
    else if ("use" in event) await use(event.use);
    else if ("passMs" in event) clock.advance(event.passMs);
    else if ("stepBackMs" in event) clock.step(-event.stepBackMs);
    else if ("allowed" in event) settings.allowedOperations = [...event.allowed];
    else settings.approverActive = false;
    await driver.setUp(settings);
  }
  const before = await read();
  const known = [...issued];
  const audited = await events();

  const result = "refresh" in call ? await send(call) : await revoke(call);

  const added = (await events()).slice(0, -audited.length);
  const revoked = "revoke" in call && "revoked" in outcome && outcome.revoked === true;
  const why = revoked ? revocationBy[call.revoke] : "why" in outcome ? outcome.why : undefined;
  if ("generation" in outcome && "refresh" in call) {
    await note();
    const now = Math.floor(clock.now() / 1000);
    const { generation, access, lifeSeconds = 900, scopes: granted = scopes } = outcome;
    const grant = issued.at(-1);
    expect(result).toMatchObject({ ok: true, generation });
    if (typeof result === "object" && result.ok) expect(grant).toMatchObject(result.grant);
    expect(issued.length - known.length, "new access tokens").toBe(access === "new" ? 1 : 0);
    const bound = outcome.popKeyId ?? call.proof ?? popKeyId;
    const { tenantId, principalId, oauthClientId } = { ...issued[0] };
    expect(grant).toMatchObject({ tenantId, principalId, oauthClientId, scopes: granted, popKeyId: bound });
    if (access === "same") expect(await read()).toEqual(before);
    else {
      expect(grant).toMatchObject({ issuedAt: now, expiresAt: now + lifeSeconds });
      const after = await read();
      expect(after).toMatchObject({ generation, newestGrant: grant, scopes, popKeyId });
      expect(grant && generationOfGrant(grant.grantId)).toEqual({ familyId, generation });
    }
    expect(added).toEqual(access === "new" ? [`granted by refresh-family:${familyId}`] : []);
    for (const [index, each] of issued.toReversed().entries())
      expect(await isRevoked(each)).toBe(index >= mostLiveGrants);
    return;
  }
  const rejection = (reason: string, proof = popKeyId) => ({ ok: false, reason: errorOf(reason, proof) });
  if ("reason" in outcome)
    expect(result).toEqual(rejection(outcome.reason, "refresh" in call ? call.proof : undefined));
  else if ("revoked" in outcome) expect(result).toBe(outcome.revoked !== false);
  expect(added).toEqual(why === undefined ? [] : [`revoked: ${why}`]);
  if (why === undefined) return expect(await read()).toEqual(before);
  const valid = issued.filter(({ expiresAt }) => clock.now() < expiresAt * 1000);
  expect(await Promise.all(valid.map(isRevoked))).toEqual(valid.map(() => true));
  for (const generation of [1, 2, 3, 4]) {
    expect(await send({ refresh: generation })).toEqual(rejection("REFRESH_TOKEN_INVALID"));
  }
}
