import { authorizationCodes, newAuthorizationCode } from "../../domain/model/authorization-code.js";
import type { Grant } from "../../domain/model/grant.js";
import { refreshFamilies } from "../../domain/model/refresh-family.js";
import { type RedeemCodeOutcome, redeemAuthorizationCode } from "../../domain/redeem-authorization-code.js";
import { revokeRefreshFamily } from "../../domain/revoke-access.js";
import { type RotateOutcome, rotateRefreshToken } from "../../domain/rotate-refresh-token.js";
import { refOf } from "../../ports/storage.js";
import { readAccess } from "../../services/read-access.js";
import type { FakeClock } from "../fake-clock.js";
import { requiredScopes } from "../storage-suite/device-fixture.js";
import { actor, oauthClientId, principalId, tenantId } from "../storage-suite/fixture.js";
import { commitWrites } from "../storage-suite/rules.js";
import { readValue } from "../storage-suite/values.js";
import { deleteScope, exchangeScope } from "./device-case.js";
import { createDeviceStorageDriver } from "./device-storage-driver.js";
import type { FamilyAnswer, FamilyDriver } from "./family-driver.js";
import type { DeviceDriver } from "./run-device-cases.js";

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
  /** Sends a token request with the code. */
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

/** The redirect URI of a code. */
export const codeRedirectUri = "http://127.0.0.1/callback";
/** What the tokens of a code are for. */
export const codeResource = "api";
export const codeScopes = [exchangeScope, deleteScope];
let issuedCodes = 0;

/** Makes the calls of the cases by applying the rules to a storage. */
export function createCodeStorageDriver(storage: DeviceDriver["storage"], clock: FakeClock): CodeDriver {
  return { ...createDeviceStorageDriver(storage, clock), issue: (given) => issueCode(storage, clock, given) };
}

async function issueCode(
  storage: DeviceDriver["storage"],
  clock: FakeClock,
  given: { readonly popKeyId: string; readonly refreshable: boolean },
) {
  issuedCodes += 1;
  const [codeHash, grantId] = [`code-${issuedCodes}`, `granted-${issuedCodes}`];
  const owner = { tenantId, principalId, oauthClientId };
  const request = { redirectUri: codeRedirectUri, codeChallenge: "challenge", resource: codeResource };
  const code = newAuthorizationCode(
    { ...owner, ...request, scopes: codeScopes, ...given },
    { codeHash, grantId },
    clock.now(),
  );
  await storage.transact(refOf(), commitWrites([authorizationCodes.create(code, clock.now())]));
  const family = refreshFamilies.key(tenantId, grantId);
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
      const sentHash = code === "unknown" ? "unknown" : codeHash;
      const input = {
        ...{ ...drawIds(), requiredScopes, proofKeyId, codeHash: sentHash },
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
      const rule = redeemAuthorizationCode(input, caller, clock.now());
      return (await storage.transact(refOf(authorizationCodes.key(caller.tenantId, sentHash), family), rule)).outcome;
    },
    async refresh(): Promise<RotateOutcome> {
      const ids = { ...drawIds(), grantId: `next-${grantId}` };
      const input = {
        ...ids,
        requiredScopes,
        familyId: grantId,
        generation: 1,
        proofKeyId: given.popKeyId,
        scopes: undefined,
      };
      const rule = rotateRefreshToken(input, actor, clock.now());
      return (await storage.transact(refOf(family), rule)).outcome;
    },
    async revokeFamily() {
      const rule = revokeRefreshFamily(grantId, actor, clock.now());
      await storage.transact(refOf(family), rule);
    },
  };
}

/** Returns the effects of the calls on a code in a storage. */
export function codeIn(
  { storage, approver }: Pick<CodeDriver, "approver" | "storage">,
  { codeHash, grantId }: Pick<IssuedCode, "codeHash" | "grantId">,
) {
  const { tenantId: tenant } = approver;
  return {
    /** Returns the code and its family, as stored. */
    records: async () =>
      [
        await readValue(storage, authorizationCodes, codeHash, tenant),
        await readValue(storage, refreshFamilies, grantId, tenant),
      ] as const,
    isRevoked: async ({ grantId: id, oauthClientId: client }: Grant) =>
      (await readAccess(storage, { ...approver, oauthClientId: client, tokenId: "any", grantId: id })).revoked,
    /** Returns the events of the grant and its family in the audit trail, the oldest first. */
    async events(): Promise<string[]> {
      const { rows } = await storage.listAudit({ tenantId: approver.tenantId, before: undefined, limit: 100 });
      const subjects = [`grant:${grantId}`, `refresh-family:${grantId}`];
      const own = rows.filter(({ subject }) => subjects.includes(subject));
      return own.map(({ event, versionBefore, versionAfter }) => `${event} ${versionBefore} ${versionAfter}`).reverse();
    },
  };
}
