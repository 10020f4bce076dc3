import { issueAuthorizationCode } from "../domain/issue-authorization-code.js";
import {
  type ApprovedAuthorization,
  authorizationCodes,
  keysOfAccess,
  newAuthorizationCode,
} from "../domain/model/authorization-code.js";
import type { Grant } from "../domain/model/grant.js";
import type { RecordPut } from "../domain/model/record.js";
import { refreshFamilies } from "../domain/model/refresh-family.js";
import { type RedeemCodeOutcome, redeemAuthorizationCode } from "../domain/redeem-authorization-code.js";
import type { Clock } from "../ports/clock.js";
import { refOf, type Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { type GrantIdsDeps, newGrantIds } from "./grant-ids.js";

/** An approval, and what it uses up. */
export interface IssueAuthorizationCodeInput extends ApprovedAuthorization {
  /** The id of the grant that the code will be redeemed for. Default: a new one. */
  readonly grantId?: string | undefined;
  /** Records that are written in the same commit, such as the request that was approved. Default: none. */
  readonly puts?: readonly RecordPut[] | undefined;
}

/** A code and what the caller has proved. The caller is the OAuth client of the call's actor. */
export interface RedeemAuthorizationCodeInput {
  readonly code: string;
  /** The code verifier (RFC 7636 section 4.1). */
  readonly codeVerifier: string;
  readonly redirectUri: string | undefined;
  /** Identifies the API for which the tokens are wanted. Undefined: the one that was approved. */
  readonly resource: string | undefined;
  /** Identifies the call, so that a retry gets the same tokens for a minute. Undefined: a retry gets none. */
  readonly idempotencyKey: string | undefined;
  /** The RFC 7638 thumbprint of the key that the caller has proved to have; empty without a proof. */
  readonly proofKeyId: string;
}

/** The grant of a redeemed code, from which the token that the caller wants is signed, with a refresh token if one was approved; or why the code was rejected. */
export type RedeemAuthorizationCodeResult =
  | {
      readonly ok: true;
      readonly grant: Grant;
      readonly refreshToken: string | undefined;
      /** The resource that was approved. */
      readonly resource: string;
    }
  | Extract<RedeemCodeOutcome, { ok: false }>;

export interface AuthorizationCodeDeps extends GrantIdsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
}

/** The operations on authorization codes. */
export interface AuthorizationCodeOperations {
  /**
   * Issues an authorization code for what a person has approved (RFC 6749 section 4.1.2). It is valid for 60 seconds and stored as a
   * hash. Resolves with undefined if a record of `puts`, or what the code is derived from or keeps, has changed since: then
   * nothing was approved.
   */
  issueAuthorizationCode(input: IssueAuthorizationCodeInput, call: Call): Promise<string | undefined>;

  /**
   * Redeems an authorization code for a grant, and for the first refresh token of its family if one was approved (RFC 6749 section
   * 4.1.3, RFC 7636 section 4.5). A retry by whoever has the same proved key or Idempotency-Key gets the same tokens for a minute. Any
   * other second use revokes them.
   */
  redeemAuthorizationCode(input: RedeemAuthorizationCodeInput, call: Call): Promise<RedeemAuthorizationCodeResult>;
}

export function createAuthorizationCodeOperations(deps: AuthorizationCodeDeps): AuthorizationCodeOperations {
  const { storage, clock, secrets } = deps;
  return {
    async issueAuthorizationCode({ puts = [], grantId = secrets.newId(), ...approved }, { actor, wanted }) {
      const now = clock.now();
      const { code, ...ids } = secrets.newAuthorizationCode(grantId);
      const issued = newAuthorizationCode(approved, ids, now);
      const codeKey = authorizationCodes.key(issued.tenantId, issued.codeHash);
      const ref = refOf(codeKey, ...puts.map(({ record }) => record), ...keysOfAccess(issued));
      const rule = issueAuthorizationCode(issued, puts, actor, now);
      const { outcome } = await storage.transact(ref, rule, { wanted });
      return outcome.ok ? code : undefined;
    },

    async redeemAuthorizationCode({ code, codeVerifier, idempotencyKey, ...request }, { actor, wanted }) {
      const sent = secrets.readAuthorizationCode(code);
      if (sent === undefined) return { ok: false, reason: "CODE_INVALID" };
      const { grantId, codeHash } = sent;
      const { outcome } = await storage.transact(
        refOf(authorizationCodes.key(actor.tenantId, codeHash), refreshFamilies.key(actor.tenantId, grantId)),
        redeemAuthorizationCode(
          {
            ...newGrantIds(deps),
            ...request,
            codeHash,
            grantId,
            codeChallenge: secrets.codeChallenge(codeVerifier),
            retryKeyHash: idempotencyKey === undefined ? undefined : secrets.hashIdempotencyKey(idempotencyKey),
          },
          actor,
          clock.now(),
        ),
        { wanted },
      );
      if (!outcome.ok) return outcome;
      const { grant, refreshable, resource } = outcome;
      const refreshToken = refreshable ? secrets.refreshToken({ familyId: grantId, generation: 1 }) : undefined;
      return { ok: true, grant, refreshToken, resource };
    },
  };
}
