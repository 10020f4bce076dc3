import type { OauthClient } from "./access.js";
import { largestClockSkew } from "./clock-agreement.js";
import type { Grant } from "./grant.js";

/** Seconds for which the codes of a device authorization live. */
export const codeLifeSeconds = 600;

/** Seconds between polls at the start (RFC 8628 section 3.2). */
export const firstIntervalSeconds = 5;

/**
 * A device authorization (RFC 8628). Codes are kept as hashes only.
 *
 * `pending` → `approved` → `consumed`; `pending` → `denied`; `approved` → `burned` when at redemption the approver is found
 * inactive, or no scope can be granted. Expiry is a matter of the clock and leaves no mark.
 */
export interface DeviceAuthorization {
  readonly deviceCodeHash: string;
  readonly userCodeHash: string;
  /** Only a caller of this tenant and OAuth client owns the device code. */
  readonly tenantId: string;
  readonly oauthClientId: string;
  readonly requestedScopes: readonly string[];
  /** The RFC 7638 thumbprint of the proof-of-possession key; empty when there is none. */
  readonly popKeyId: string;
  readonly state: "pending" | "approved" | "denied" | "consumed" | "burned";
  /** Grows with every change. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly intervalSeconds: number;
  /** When the last poll was accepted, in milliseconds since the epoch; undefined before the first. */
  readonly lastPollAt: number | undefined;
  /** Who approved or denied; undefined while pending. */
  readonly approverId: string | undefined;
  readonly approvedScopes: readonly string[];
  readonly consumption: Consumption | undefined;
}

/** How a device code was consumed: enough to tell a retry from a reuse. */
export interface Consumption {
  readonly grantId: string;
  /** The principal that called. */
  readonly principalId: string;
  /** The hash of the Idempotency-Key; undefined when the call had none. */
  readonly idempotencyKeyHash: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What a decision about a device code needs to know. */
export interface DeviceCodeSnapshot {
  readonly authorization: DeviceAuthorization | undefined;
  /** The OAuth client that started it. */
  readonly oauthClient: OauthClient | undefined;
  /** Whether who approved it is an active principal of its tenant. */
  readonly approverActive: boolean;
  /** The grant that consuming it made. */
  readonly grant: Grant | undefined;
  readonly grantRevoked: boolean;
}

/** What a decision about a user code needs to know. */
export interface UserCodeSnapshot {
  /** The newest device authorization with this user code, of any tenant. */
  readonly authorization: DeviceAuthorization | undefined;
  /** The OAuth client that started it. */
  readonly oauthClient: OauthClient | undefined;
  /** Whether the principal that asks is an active principal of its tenant. */
  readonly principalActive: boolean;
}

/** What the start of a device authorization needs to know. */
export interface StartSnapshot {
  readonly oauthClient: OauthClient | undefined;
  /** The newest device authorization with the user code that was drawn. */
  readonly authorization: DeviceAuthorization | undefined;
}

/** Whether the codes of an authorization have reached the end of their life, or seem to be made in the future. */
export function expired({ createdAt, expiresAt }: DeviceAuthorization, now: number): boolean {
  return now >= expiresAt || now < createdAt - largestClockSkew;
}

/** The letters of user codes: no vowels, so that no words appear, and none that are easily confused (RFC 8628 section 6.1). */
export const userCodeAlphabet = "BCDFGHJKLMNPQRSTVWXZ";

/** A user code as its letters alone: on input case and everything but letters is ignored. */
export function normalizeUserCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z]/g, "");
}

/** A user code as it is shown: XXXX-XXXX. */
export function formatUserCode(letters: string): string {
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
