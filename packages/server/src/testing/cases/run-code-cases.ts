import { describe, expect, it } from "vitest";
import { type CodeAnswer, type CodeDriver, codeIn, codeResource, codeScopes, type Redeem } from "./code-driver.js";
import { deleteOperation, exchangeOperation } from "./device-case.js";
import type { Section } from "./section.js";

/** What happens before the call. */
export type CodeEvent =
  | Redeem
  | "its first refresh token is used"
  | "its refresh family is revoked"
  | { readonly passMs: number }
  | { readonly principal: "active" | "inactive" }
  | { readonly allowed: readonly string[] };

/** What must come out, and with it what is written, and what is in the audit trail. */
export type CodeOutcome =
  /** A new grant, with its refresh family if the code gives one. Defaults: all approved scopes, and no key. */
  | { readonly granted: { readonly scopes?: readonly string[]; readonly popKeyId?: string } }
  | "the first answer"
  /** With `revokes`, what the code gave is revoked. Otherwise, nothing changes. */
  | { readonly reason: string; readonly revokes?: true };

/** A row: the same call with the same outcome for the rules, for every storage, and for the token endpoint. */
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

/** Defines a test for each case. @param scope.tenants false: the way in serves one tenant */
export function describeCodeCases(
  name: string,
  cases: readonly CodeCase[],
  { tenants = true }: { readonly tenants?: boolean },
  open: () => CodeDriver,
): void {
  const isOfTenant = ({ call }: CodeCase) => call.by !== "another tenant";
  describe(name, () => {
    it.each(tenants ? cases : cases.filter(isOfTenant))("$title ($section)", (each) => runCodeCase(open(), each));
  });
}

/** Runs one case on a new code. @throws an error of `expect` */
export async function runCodeCase(
  driver: CodeDriver,
  { given: { history, popKeyId = "", refreshable = true }, call, outcome }: CodeCase,
): Promise<void> {
  const { clock, errorOf = (reason: string) => reason } = driver;
  const settings = { approverActive: true, allowedOperations: [deleteOperation, exchangeOperation], enabled: true };
  await driver.setUp(settings);
  const code = await driver.issue({ popKeyId, refreshable });
  const { records, isRevoked, events } = codeIn(driver, code);
  let first: CodeAnswer | undefined;

  for (const event of history) {
    if (event === "its refresh family is revoked") await code.revokeFamily();
    else if (event === "its first refresh token is used") expect(await code.refresh()).toMatchObject({ ok: true });
    else if ("passMs" in event) clock.advance(event.passMs);
    else if ("principal" in event) settings.approverActive = event.principal === "active";
    else if ("allowed" in event) settings.allowedOperations = [...event.allowed];
    else {
      const redeemed = await code.redeem(event);
      if (redeemed.ok) first ??= redeemed;
    }
    await driver.setUp(settings);
  }
  const before = await records();
  const audited = await events();

  const result = await code.redeem(call);

  const added = (await events()).slice(audited.length);
  const [stored, family] = await records();
  const grant = stored?.redemption?.grant;
  if (outcome !== "the first answer" && "granted" in outcome) {
    const { scopes: granted = codeScopes, popKeyId: boundTo = "" } = outcome.granted;
    const issuedAt = Math.floor(clock.now() / 1000);
    const { grantId } = code;
    expect(grant).toMatchObject({ ...driver.approver, grantId, scopes: granted, popKeyId: boundTo });
    const drawn = expect.stringMatching(/./);
    expect(grant).toMatchObject({ keyId: drawn, accessTokenId: drawn, brokerTokenId: drawn });
    expect(grant).toMatchObject({ issuedAt, expiresAt: issuedAt + 900 });
    expect(result).toMatchObject({ ok: true, refreshable, resource: codeResource });
    if (result.ok) expect(grant).toMatchObject(result.grant);
    const opened = { familyId: grantId, generation: 1, scopes: granted, popKeyId: boundTo, resource: codeResource };
    expect(family).toEqual(refreshable ? expect.objectContaining(opened) : undefined);
    expect(added).toEqual(refreshable ? ["granted 0 0", "opened 0 1"] : ["granted 0 0"]);
    expect(grant && (await isRevoked(grant))).toBe(false);
    return;
  }
  const rejection = (reason: string, proof = "") => ({ ok: false, reason: errorOf(reason, proof) });
  expect(result).toEqual(outcome === "the first answer" ? first : rejection(outcome.reason, call.proof));
  if (outcome === "the first answer" || !outcome.revokes) {
    expect(added).toEqual([]);
    return expect(await records()).toEqual(before);
  }
  const why = expect.stringMatching(/^revoked: authorization code used again /);
  expect(added).toEqual(refreshable ? [why, why] : [why]);
  const newest = before[1]?.newestGrant;
  for (const each of [grant, newest]) if (each !== undefined) expect(await isRevoked(each)).toBe(true);
  expect(await code.refresh()).toEqual(rejection("REFRESH_TOKEN_INVALID", popKeyId));
  // Without a family, a retry is answered with the tokens that are revoked.
  if (refreshable) expect(await code.redeem({})).toEqual(rejection("CODE_REUSED"));
}
