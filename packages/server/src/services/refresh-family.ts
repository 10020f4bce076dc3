import { deviceAuthorizations } from "../domain/model/device-authorization.js";
import { type Grant, keyOfGrantPlace } from "../domain/model/grant.js";
import { type RefreshFamily, refreshFamilies } from "../domain/model/refresh-family.js";
import { type RedeemOutcome, redeemWithProof } from "../domain/redeem-with-proof.js";
import { revokeRefreshFamily } from "../domain/revoke-access.js";
import { type RotateOutcome, rotateRefreshToken } from "../domain/rotate-refresh-token.js";
import type { Clock } from "../ports/clock.js";
import { refOf, type Storage } from "../ports/storage.js";
import type { Call } from "./call.js";
import { type GrantIdsDeps, newGrantIds } from "./grant-ids.js";
import { listValues } from "./list-values.js";

/** A device code, and what the caller has proved. The caller is the OAuth client of the call's actor. */
export interface RedeemDeviceCodeInput {
  readonly deviceCode: string;
  /** Identifies the call, so that a retry gets the same tokens for a minute. Undefined: a retry gets none. */
  readonly idempotencyKey: string | undefined;
  /** The RFC 7638 thumbprint of the key that the caller has proved to have; empty without a proof. */
  readonly proofKeyId: string;
}

/** A refresh token, and what the caller wants. The caller is the OAuth client of the call's actor. */
export interface RefreshTokensInput {
  readonly refreshToken: string;
  /** The RFC 7638 thumbprint of the key that the caller has proved to have; empty without a proof. */
  readonly proofKeyId: string;
  /** The scopes wanted for the new access token. Those that were not approved are left out. Undefined: all that were approved. */
  readonly scopes: readonly string[] | undefined;
  /** Identifies the API for which the tokens are wanted. Undefined: the one that was approved. */
  readonly resource?: string | undefined;
  /** Whether only an approval that names the resource gives tokens for it. Default: one that names none does, too. */
  readonly resourceByName?: boolean | undefined;
}

/** A grant, from which the token that the caller wants is signed, and the next refresh token. */
export interface RefreshableGrant {
  readonly ok: true;
  readonly status: "approved";
  readonly grant: Grant;
  readonly refreshToken: string;
  /** The resource that was approved. Undefined: each request names its own. */
  readonly resource: string | undefined;
}

/** The grant of an approved authorization, the status of any other, or why the request was rejected. */
export type RedeemDeviceCodeResult = RefreshableGrant | Exclude<RedeemOutcome, { status: "approved" }>;

/** The new grant, or why the refresh token was rejected. */
export type RefreshTokensResult = RefreshableGrant | Extract<RotateOutcome, { ok: false }>;

export interface RefreshFamilyDeps extends GrantIdsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
}

/** The operations on refresh families. */
export interface RefreshOperations {
  /**
   * Redeems a device code for a grant and the first refresh token of its family (RFC 8628 section 3.4), for OAuth clients that have no
   * token yet. A retry gets the same tokens, unless the family has been used or revoked since.
   */
  redeemDeviceCode(input: RedeemDeviceCodeInput, call: Call): Promise<RedeemDeviceCodeResult>;

  /**
   * Exchanges a refresh token for a new access token and the next refresh token (RFC 6749 section 6). A retry gets the same ones until
   * one of them was used, and without a key for 30 s in any case.
   */
  refreshTokens(input: RefreshTokensInput, call: Call): Promise<RefreshTokensResult>;

  /**
   * Revokes a refresh token of the calling OAuth client, with its whole family and their access tokens. Returns false if the token
   * belongs to another OAuth client. Succeeds for an unknown token (RFC 7009 section 2.2).
   */
  revokeRefreshToken(refreshToken: string, call: Call): Promise<boolean>;

  /** Lists the refresh families of a principal that have not ended, the newest first. */
  listRefreshFamilies(owner: {
    readonly tenantId: string;
    readonly principalId: string;
  }): Promise<readonly RefreshFamily[]>;
}

export function createRefreshOperations(deps: RefreshFamilyDeps): RefreshOperations {
  const { storage, clock, secrets } = deps;
  return {
    async redeemDeviceCode(input, { actor, wanted }) {
      const { deviceCode, idempotencyKey, proofKeyId } = input;
      const idempotencyKeyHash = idempotencyKey === undefined ? undefined : secrets.hashIdempotencyKey(idempotencyKey);
      const deviceCodeHash = secrets.hashDeviceCode(deviceCode);
      const { outcome } = await storage.transact(
        refOf(deviceAuthorizations.key(actor.tenantId, deviceCodeHash), keyOfGrantPlace(deviceCodeHash)),
        redeemWithProof({ ...newGrantIds(deps), deviceCodeHash, idempotencyKeyHash, proofKeyId }, actor, clock.now()),
        { wanted },
      );
      if (!outcome.ok || outcome.status !== "approved") return outcome;
      const { grant } = outcome;
      const refreshToken = secrets.refreshToken({ familyId: grant.grantId, generation: 1 });
      return { ok: true, status: "approved", grant, refreshToken, resource: undefined };
    },

    async refreshTokens(input, { actor, wanted }) {
      const { refreshToken, ...asked } = input;
      const sent = secrets.readRefreshToken(refreshToken);
      if (sent === undefined) return { ok: false, reason: "REFRESH_TOKEN_INVALID" };
      const { familyId, generation } = sent;
      const rule = rotateRefreshToken({ ...newGrantIds(deps), ...asked, familyId, generation }, actor, clock.now());
      const { outcome } = await storage.transact(refOf(refreshFamilies.key(actor.tenantId, familyId)), rule, {
        wanted,
      });
      if (!outcome.ok) return outcome;
      const { grant, resource } = outcome;
      const next = secrets.refreshToken({ familyId, generation: outcome.generation });
      return { ok: true, status: "approved", grant, refreshToken: next, resource };
    },

    async revokeRefreshToken(refreshToken, { actor, wanted }) {
      const sent = secrets.readRefreshToken(refreshToken);
      if (sent === undefined) return true;
      const rule = revokeRefreshFamily(sent.familyId, actor, clock.now());
      return (await storage.transact(refOf(refreshFamilies.key(actor.tenantId, sent.familyId)), rule, { wanted }))
        .outcome.ok;
    },

    async listRefreshFamilies(owner) {
      const families = await listValues(storage, refreshFamilies, owner);
      const now = clock.now();
      return families.filter(({ expiresAt }) => expiresAt > now).sort((one, two) => two.createdAt - one.createdAt);
    },
  };
}
