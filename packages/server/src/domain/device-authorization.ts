import type { OauthClient, RegisteredOauthClient } from "./access.js";
import { largestClockSkew } from "./clock-skew.js";
import type { Grant } from "./grant.js";
import type { RequiredScopes } from "./grantable-scopes.js";
import type { StoredRecord } from "./record.js";

/** The lifetime of the codes of a device authorization, in seconds. */
export const codeLifeSeconds = 600;

/** The initial polling interval, in seconds (RFC 8628 section 3.2). */
export const firstIntervalSeconds = 5;

/**
 * A device authorization (RFC 8628). Codes are stored as hashes only.
 *
 * `pending` → `approved` → `consumed`; `pending` → `denied`; `approved` → `burned` when, at redemption, the approver is
 * inactive or no scope can be granted. Expiry is computed from the clock and is not stored.
 */
export interface DeviceAuthorization {
  readonly deviceCodeHash: string;
  readonly userCodeHash: string;
  /** The tenant of the device code. Only a caller of this tenant and OAuth client may exchange it. */
  readonly tenantId: string;
  readonly oauthClientId: string;
  readonly requestedScopes: readonly string[];
  /** The RFC 7638 thumbprint of the proof-of-possession key; empty without such a key. */
  readonly popKeyId: string;
  readonly state: "pending" | "approved" | "denied" | "consumed" | "burned";
  /** Incremented by every change. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly intervalSeconds: number;
  /** The time of the last accepted poll, in milliseconds since the epoch; undefined before the first. */
  readonly lastPollAt: number | undefined;
  /** The principal that approved or denied; undefined while pending. */
  readonly approverId: string | undefined;
  readonly approvedScopes: readonly string[];
  readonly consumption: Consumption | undefined;
}

/** How a device code was consumed. Distinguishes a retry from a reuse. */
export interface Consumption {
  readonly grantId: string;
  /** The principal that called. */
  readonly principalId: string;
  /** The hash of the Idempotency-Key; undefined when the call had none. */
  readonly idempotencyKeyHash: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The data for a decision about a device code. */
export interface DeviceCodeSnapshot {
  readonly authorization: DeviceAuthorization | undefined;
  /** The OAuth client that started it. */
  readonly oauthClient: OauthClient | undefined;
  /** Whether the approver is an active principal of its tenant. */
  readonly approverActive: boolean;
  /** The grant of a consumed code. */
  readonly grant: Grant | undefined;
  readonly grantRevoked: boolean;
  /** The record of the grant's refresh family, as stored: in the collection `refreshFamilies`, with the id of the grant as its key. */
  readonly refreshFamily: StoredRecord | undefined;
}

/** The input of the exchange of a device code. Ids are generated before the decision, because rules are deterministic. */
export interface ExchangeInput {
  /** The hash of the Idempotency-Key; undefined when the call has none. */
  readonly idempotencyKeyHash: string | undefined;
  /** Ids for the grant, if this call creates one. */
  readonly grantId: string;
  readonly accessTokenId: string;
  readonly brokerTokenId: string;
  /** The `kid` of the current signing key. */
  readonly keyId: string;
  /** The scopes that each operation requires, by operation. Only scopes of the OAuth client's allowed operations are ever granted. */
  readonly requiredScopes: RequiredScopes;
  /** The RFC 7638 thumbprint of the key to which the tokens of a code without a key are bound. Default: none. */
  readonly proofKeyId?: string;
}

/** The status of the device authorization (if approved, with the grant of the tokens), or why the exchange failed. */
export type ExchangeOutcome =
  | { readonly ok: true; readonly status: "approved"; readonly grant: Grant }
  | {
      readonly ok: true;
      readonly status: "authorization_pending" | "slow_down";
      readonly expiresInSeconds: number;
      readonly intervalSeconds: number;
    }
  | {
      readonly ok: true;
      readonly status: "access_denied";
      /**
       * - `denied`: the user denied the request.
       * - `no_scopes`: the user approved, but none of the scopes may be granted. The code is burned.
       * - `burned`: the code was burned before, because of `no_scopes` or because the approver was inactive.
       */
      readonly because: "denied" | "no_scopes" | "burned";
    }
  | { readonly ok: true; readonly status: "expired_token" }
  | { readonly ok: false; readonly reason: "DEVICE_CODE_INVALID" | "DEVICE_CODE_CONSUMED" | "PRINCIPAL_DISABLED" };

/** The data for a decision about a user code. */
export interface UserCodeSnapshot {
  /** The newest device authorization with this user code, of any tenant. */
  readonly authorization: DeviceAuthorization | undefined;
  /** The OAuth client that started it. */
  readonly oauthClient: RegisteredOauthClient | undefined;
  /** Whether the calling principal is an active principal of its tenant. */
  readonly principalActive: boolean;
}

/** The data for the start of a device authorization. */
export interface StartSnapshot {
  readonly oauthClient: OauthClient | undefined;
  /** The newest device authorization with the generated user code. */
  readonly authorization: DeviceAuthorization | undefined;
}

/** Returns whether the codes of an authorization have expired, or seem to have been created in the future. */
export function expired({ createdAt, expiresAt }: DeviceAuthorization, now: number): boolean {
  return now >= expiresAt || now < createdAt - largestClockSkew;
}

/** The letters of user codes: no vowels, so that no words appear, and none that are easily confused (RFC 8628 section 6.1). */
export const userCodeAlphabet = "BCDFGHJKLMNPQRSTVWXZ";

/** Normalizes user input to the letters of a user code: converts it to upper case and removes everything except letters. */
export function normalizeUserCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z]/g, "");
}

/** Formats a user code for display: XXXX-XXXX. */
export function formatUserCode(letters: string): string {
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
