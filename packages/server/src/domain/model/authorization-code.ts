import { subjectLinks } from "./access.js";
import { type Bounds, boundsOf, boundsSchema, sameBounds } from "./bounds.js";
import { defineCollection } from "./collection.js";
import { delegations } from "./delegation.js";
import { findValidGrant, type Grant, grantSchema, grants, revocations } from "./grant.js";
import type { Link, RecordKey, Records } from "./record.js";
import { findFamily, refreshFamilies } from "./refresh-family.js";
import { flag, number, object, optional, text, texts } from "./schema.js";

/** The lifetime of an authorization code, in milliseconds. */
const authorizationCodeLife = 60_000;

/** What a person has approved, and to whom its code may be given. */
export interface ApprovedAuthorization {
  readonly tenantId: string;
  /** The principal that approved. */
  readonly principalId: string;
  readonly oauthClientId: string;
  /** Sorted, without duplicates. */
  readonly scopes: readonly string[];
  /** What the approval is limited to. Undefined: nothing. */
  readonly bounds?: Bounds | undefined;
  /**
   * The ids of the grants, and so of the refresh families, that allow the code without asking the person again. Each must be valid, with
   * the same bounds, when the code is issued and when it is redeemed. Default: none, because the person has decided now.
   */
  readonly derivedFrom?: readonly string[] | undefined;
  /**
   * The ids of the grants, and so of the refresh families, whose scopes the code keeps, with the bounds that the person has decided now.
   * Each must be valid when the code is issued and when it is redeemed. Default: none.
   */
  readonly keptFrom?: readonly string[] | undefined;
  /** The redirect URI to which the code was sent, as the client has sent it. */
  readonly redirectUri: string;
  /** The code challenge of the method S256 (RFC 7636 section 4.2). */
  readonly codeChallenge: string;
  /** Identifies the API for which the tokens are (RFC 8707), such as `api`. */
  readonly resource: string;
  /** The RFC 7638 thumbprint of the key whose proof the redemption needs; empty without such a key. */
  readonly popKeyId: string;
  /** Where the person approved, in words for them, such as `Firefox on Linux, 203.0.113.7`. Undefined: unknown. */
  readonly device?: string | undefined;
  /** Whether the client gets a refresh token. */
  readonly refreshable: boolean;
  /** When its tokens can no longer be renewed, in milliseconds since the epoch. Default: 30 days after the redemption. */
  readonly renewableUntil?: number | undefined;
}

/**
 * An authorization code (RFC 6749 section 4.1.2). The code itself contains the id of the grant that it will be redeemed for, so that a
 * redemption reads the refresh family with the code.
 */
export interface AuthorizationCode extends ApprovedAuthorization {
  readonly codeHash: string;
  /** The id of the grant, and so of its refresh family. */
  readonly grantId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The redemption. Undefined: the code is not used yet. */
  readonly redemption: CodeRedemption | undefined;
}

export interface CodeRedemption {
  readonly grant: Grant;
  /** Identifies who may ask again: the hash of a proved key, or of an Idempotency-Key. Undefined: nobody may. */
  readonly retryKeyHash: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export const authorizationCodes = defineCollection<AuthorizationCode>("authorization-code", {
  schema: object({
    codeHash: text,
    grantId: text,
    tenantId: text,
    principalId: text,
    oauthClientId: text,
    scopes: texts,
    bounds: optional(boundsSchema),
    derivedFrom: optional(texts),
    keptFrom: optional(texts),
    redirectUri: text,
    codeChallenge: text,
    resource: text,
    popKeyId: text,
    device: optional(text),
    refreshable: flag,
    renewableUntil: optional(number),
    createdAt: number,
    expiresAt: number,
    redemption: optional(object({ grant: grantSchema, retryKeyHash: optional(text), at: number })),
  }),
  keyOf: ({ tenantId, codeHash: key }) => ({ tenantId, key }),
  ownerOf: ({ principalId, oauthClientId }) => ({ principalId, oauthClientId }),
  // It is purged a day after it has expired: until then, its second use is noticed.
  expiresAt: ({ expiresAt }) => expiresAt,
  links: (code) => [...subjectLinks(code), ...keysOfAccess(code).map(({ collection, key }): Link => [collection, key])],
});

/** Returns the keys of the records that say whether what a code is derived from, or keeps scopes of, is valid. */
export function keysOfAccess({
  tenantId,
  derivedFrom = [],
  keptFrom = [],
}: Pick<AuthorizationCode, "tenantId" | "derivedFrom" | "keptFrom">): readonly RecordKey[] {
  return [
    ...[...derivedFrom, ...keptFrom].flatMap((id) =>
      [refreshFamilies, grants, revocations].map(({ key }) => key(tenantId, id)),
    ),
    ...derivedFrom.map((id) => delegations.key(tenantId, id)),
  ];
}

/** Returns whether all that a code keeps scopes of is valid, and all that it is derived from, with the bounds of the code. */
export function isStillAllowed(
  records: Records,
  {
    tenantId,
    derivedFrom = [],
    keptFrom = [],
    bounds,
  }: Pick<AuthorizationCode, "tenantId" | "derivedFrom" | "keptFrom" | "bounds">,
  now: number,
): boolean {
  const isValid = (id: string) => {
    const grant = findValidGrant(records, tenantId, id);
    // The first grant of a family that was revoked is revoked, or expired before.
    return (
      findFamily(records, tenantId, id, now) !== undefined || (grant !== undefined && now < 1000 * grant.expiresAt)
    );
  };
  return (
    [...derivedFrom, ...keptFrom].every(isValid) &&
    derivedFrom.every((id) => sameBounds(delegations.find(records, tenantId, id)?.bounds, bounds))
  );
}

export function newAuthorizationCode(
  approved: ApprovedAuthorization,
  { codeHash, grantId }: Pick<AuthorizationCode, "codeHash" | "grantId">,
  now: number,
): AuthorizationCode {
  const expiresAt = now + authorizationCodeLife;
  const bounds = approved.bounds && boundsOf(approved.bounds);
  return { ...approved, bounds, codeHash, grantId, createdAt: now, expiresAt, redemption: undefined };
}
