import { subjectLinks } from "./access.js";
import { type Bounds, boundsSchema, narrow } from "./bounds.js";
import { largestClockSkew } from "./clock-skew.js";
import { defineCollection } from "./collection.js";
import { type Grant, grants, revocations } from "./grant.js";
import type { NewGrantInput } from "./grantable-scopes.js";
import type { Link, Records } from "./record.js";
import { refreshFamilies } from "./refresh-family.js";
import { number, object, optional, text, texts, word } from "./schema.js";

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
  /** The bounds that the software has asked for. Undefined: none. */
  readonly requestedBounds?: Bounds | undefined;
  /** The RFC 7638 thumbprint of the proof-of-possession key; empty without such a key. */
  readonly popKeyId: string;
  /** Where it was started, in words for the person, such as `203.0.113.7`. Undefined: unknown. */
  readonly device?: string | undefined;
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
  /** The bounds that the approver has set. Undefined: none. */
  readonly approvedBounds?: Bounds | undefined;
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

export const deviceAuthorizations = defineCollection<DeviceAuthorization>("device-authorization", {
  schema: object({
    deviceCodeHash: text,
    userCodeHash: text,
    tenantId: text,
    oauthClientId: text,
    requestedScopes: texts,
    requestedBounds: optional(boundsSchema),
    popKeyId: text,
    device: optional(text),
    state: word("pending", "approved", "denied", "consumed", "burned"),
    revision: number,
    createdAt: number,
    expiresAt: number,
    intervalSeconds: number,
    lastPollAt: optional(number),
    approverId: optional(text),
    approvedScopes: texts,
    approvedBounds: optional(boundsSchema),
    consumption: optional(object({ grantId: text, principalId: text, idempotencyKeyHash: optional(text), at: number })),
  }),
  keyOf: ({ tenantId, deviceCodeHash: key }) => ({ tenantId, key }),
  ownerOf: ({ oauthClientId }) => ({ oauthClientId }),
  expiresAt: ({ expiresAt }) => expiresAt,
  links({ approverId: principalId, oauthClientId, consumption }) {
    const subjects = subjectLinks({ principalId, oauthClientId });
    if (consumption === undefined) return subjects;
    const ofGrant = [grants, revocations, refreshFamilies].map(({ name }): Link => [name, consumption.grantId]);
    return [...subjects, ...ofGrant];
  },
});

/** The newest device authorization with a user code. */
interface UserCode {
  readonly tenantId: string;
  readonly userCodeHash: string;
  readonly deviceCodeHash: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export const userCodes = defineCollection<UserCode>("user-code", {
  schema: object({ tenantId: text, userCodeHash: text, deviceCodeHash: text, expiresAt: number }),
  keyOf: ({ tenantId, userCodeHash: key }) => ({ tenantId, key }),
  expiresAt: ({ expiresAt }) => expiresAt,
  links: ({ deviceCodeHash }) => [[deviceAuthorizations.name, deviceCodeHash]],
});

/** Finds the newest device authorization of a tenant with this user code. */
export function findByUserCode(
  records: Records,
  tenantId: string,
  userCodeHash: string,
): DeviceAuthorization | undefined {
  const userCode = userCodes.find(records, tenantId, userCodeHash);
  return userCode && deviceAuthorizations.find(records, tenantId, userCode.deviceCodeHash);
}

export function changed(authorization: DeviceAuthorization, change: Partial<DeviceAuthorization>): DeviceAuthorization {
  return { ...authorization, ...change, revision: authorization.revision + 1 };
}

export interface ExchangeInput extends NewGrantInput {
  readonly deviceCodeHash: string;
  /** The hash of the Idempotency-Key; undefined when the call has none. */
  readonly idempotencyKeyHash: string | undefined;
  /** The RFC 7638 thumbprint of the key to which the tokens of a code without a key are bound. Default: none. */
  readonly proofKeyId?: string;
  /** Whether the caller opens a refresh family for the grant. Default: false. */
  readonly opensFamily?: boolean;
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

/** Returns whether an authorization has expired with its codes or its bounds, or seems to have been created in the future. */
export function expired(authorization: DeviceAuthorization, now: number): boolean {
  const { createdAt, expiresAt, requestedBounds, approvedBounds } = authorization;
  const endsAt = narrow(requestedBounds, approvedBounds)?.expiresAt ?? expiresAt;
  return now >= Math.min(expiresAt, endsAt) || now < createdAt - largestClockSkew;
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
