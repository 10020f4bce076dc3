import { describe, expect, it } from "vitest";
import {
  authorizationCodes,
  codeOfRecord,
  newAuthorizationCode,
  recordOfCode,
} from "../../domain/authorization-code.js";
import type { Grant } from "../../domain/grant.js";
import { type RedeemCodeOutcome, redeemAuthorizationCode } from "../../domain/redeem-authorization-code.js";
import { familyOfRecord, refreshFamilies } from "../../domain/refresh-family.js";
import { revokeRefreshFamily } from "../../domain/revoke-refresh-family.js";
import { type RotateOutcome, rotateRefreshToken } from "../../domain/rotate-refresh-token.js";
import type { FakeClock } from "../fake-clock.js";
import { requiredScopes } from "../storage-suite/device-fixture.js";
import { actor, oauthClientId, principalId, tenantId } from "../storage-suite/fixture.js";
import { commitWrites, readRecordSnapshot } from "../storage-suite/rules.js";
import { deleteOperation, deleteScope, exchangeOperation, exchangeScope } from "./device-case.js";
import { createDeviceStorageDriver } from "./device-storage-driver.js";
import type { FamilyAnswer, FamilyDriver } from "./family-driver.js";
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

/** What a redemption returned, with what the way in shows of the grant. */
export type CodeAnswer =
  | {
      readonly ok: true;
      readonly grant: Partial<Grant>;
      readonly refreshable: boolean;
      readonly resource: string;
      /** The tokens, if they are signed. */
      readonly tokens?: string;
    }
  | { readonly ok: false; readonly reason: string };

/** A code, and the calls on it. */
export interface IssuedCode {
  readonly codeHash: string;
  readonly grantId: string;
  redeem(sent: Redeem): Promise<CodeAnswer>;
  /** Uses the first refresh token. */
  refresh(): Promise<FamilyAnswer>;
  /** Revokes the refresh family, as the OAuth client. */
  revokeFamily(): Promise<unknown>;
}

/** One way to issue codes and to redeem them. */
export interface CodeDriver extends Pick<FamilyDriver, "approver" | "clock" | "errorOf" | "setUp" | "storage"> {
  /** Issues a code for the scopes of the contract, `codeRedirectUri` and `codeResource`. */
  issue(given: { readonly popKeyId: string; readonly refreshable: boolean }): Promise<IssuedCode>;
}

export const codeRedirectUri = "http://127.0.0.1/callback";
export const codeResource = "api";
const scopes = [exchangeScope, deleteScope];
let issuedCodes = 0;

/** Makes the calls of the cases by applying the rules to a storage. */
export function createCodeStorageDriver(storage: DeviceDriver["storage"], clock: FakeClock): CodeDriver {
  return { ...createDeviceStorageDriver(storage, clock), issue: (given) => issueCode(storage, clock, given) };
}

/** Issues a code, and returns the calls on it. */
async function issueCode(
  storage: DeviceDriver["storage"],
  clock: FakeClock,
  given: { readonly popKeyId: string; readonly refreshable: boolean },
) {
  issuedCodes += 1;
  const [codeHash, grantId] = [`code-${issuedCodes}`, `granted-${issuedCodes}`];
  const owner = { tenantId, principalId, oauthClientId };
  const request = { redirectUri: codeRedirectUri, codeChallenge: "challenge", resource: codeResource };
  const code = newAuthorizationCode({ ...owner, ...request, scopes, ...given }, { codeHash, grantId }, clock.now());
  const record = { ...recordOfCode(code), revision: 1 };
  await storage.transact({ kind: "nothing" }, commitWrites([{ kind: "record", record }]));
  const family = { collection: refreshFamilies, key: grantId };
  let drawn = 0;
  const drawIds = () => {
    drawn += 1;
    return { accessTokenId: `access-${grantId}-${drawn}`, brokerTokenId: `broker-${grantId}-${drawn}`, keyId: "key-1" };
  };

  return {
    codeHash,
    grantId,
    async redeem(sent: Redeem = {}): Promise<RedeemCodeOutcome> {
      const { by, code, retry, proof: proofKeyId = "" } = sent;
      const sentUri = { another: "http://127.0.0.1/other", none: undefined };
      const sentResource = { another: "broker", none: undefined };
      const input = {
        ...{ ...drawIds(), requiredScopes, proofKeyId },
        grantId: code === "of another grant" ? "another-grant" : grantId,
        redirectUri: sent.redirectUri === undefined ? codeRedirectUri : sentUri[sent.redirectUri],
        resource: sent.resource === undefined ? codeResource : sentResource[sent.resource],
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
    async refresh(): Promise<RotateOutcome> {
      const ids = { ...drawIds(), grantId: `next-${grantId}` };
      const input = { ...ids, requiredScopes, generation: 1, proofKeyId: given.popKeyId, scopes: undefined };
      const rule = rotateRefreshToken(input, actor, clock.now());
      return (await storage.transact({ kind: "record", ...family }, rule)).outcome;
    },
    async revokeFamily() {
      const rule = revokeRefreshFamily("its OAuth client", "signed out", actor, clock.now());
      await storage.transact({ kind: "record", ...family }, rule);
    },
  };
}

/** Returns the effects of the calls on a code in a storage. */
export function codeIn(
  { storage, approver }: Pick<CodeDriver, "approver" | "storage">,
  { codeHash, grantId }: Pick<IssuedCode, "codeHash" | "grantId">,
) {
  const recordOf = async (collection: string, key: string) =>
    (await storage.transact({ kind: "record", collection, key }, readRecordSnapshot())).outcome.record;
  return {
    records: async () => [await recordOf(authorizationCodes, codeHash), await recordOf(refreshFamilies, grantId)],
    isRevoked: async ({ grantId: id, oauthClientId: client }: Grant) =>
      (await storage.readAccess({ ...approver, oauthClientId: client, tokenId: "any", grantId: id })).revoked,
    /** Returns the events of the grant and its family in the audit trail, the oldest first. */
    async events(): Promise<string[]> {
      const { rows } = await storage.listAudit({ tenantId: approver.tenantId, before: undefined, limit: 100 });
      const subjects = [`grant:${grantId}`, `refresh-family:${grantId}`];
      const own = rows.filter(({ subject }) => subjects.includes(subject));
      return own.map(({ event, versionBefore, versionAfter }) => `${event} ${versionBefore} ${versionAfter}`).reverse();
    },
  };
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

/** Runs one case on a code of its own. @throws an error of `expect` */
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
  const grant = stored && codeOfRecord(stored).redemption?.grant;
  if (outcome !== "the first answer" && "granted" in outcome) {
    const { scopes: granted = scopes, popKeyId: boundTo = "" } = outcome.granted;
    const issuedAt = Math.floor(clock.now() / 1000);
    const { grantId } = code;
    expect(grant).toMatchObject({ ...driver.approver, grantId, scopes: granted, popKeyId: boundTo });
    expect(grant).toMatchObject({ issuedAt, expiresAt: issuedAt + 900 });
    expect(result).toMatchObject({ ok: true, refreshable, resource: codeResource });
    if (result.ok) expect(grant).toMatchObject(result.grant);
    expect(stored?.revision).toBe(2);
    const opened = { familyId: grantId, generation: 1, scopes: granted, popKeyId: boundTo, resource: codeResource };
    expect(family && familyOfRecord(family)).toEqual(refreshable ? expect.objectContaining(opened) : undefined);
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
  const newest = before[1] && familyOfRecord(before[1]).newestGrant;
  for (const each of [grant, newest]) if (each !== undefined) expect(await isRevoked(each)).toBe(true);
  expect(await code.refresh()).toEqual(rejection("REFRESH_TOKEN_INVALID", popKeyId));
  // Without a family, a retry is answered with the tokens that are revoked.
  if (refreshable) expect(await code.redeem({})).toEqual(rejection("CODE_REUSED"));
}
