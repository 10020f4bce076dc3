import { type Bounds, boundsSchema } from "./bounds.js";
import { defineCollection, installation } from "./collection.js";
import type { Write } from "./decision.js";
import type { RecordKey, Records } from "./record.js";
import { number, object, optional, type Schema, text, texts } from "./schema.js";

/** The lifetime of granted tokens, and the default lifetime of issued access tokens, in seconds. */
export const longestTokenLife = 900;

/** The longest lifetime of a token whose scopes are all of private operations, in seconds. */
export const longestPrivateTokenLife = 3600;

/** The delegation that bounds a grant, with its bounds when the grant was issued. The stored delegation decides what is allowed. */
export interface GrantedDelegation {
  readonly delegationId: string;
  readonly bounds: Bounds;
}

/**
 * The data of an access token and a broker token. Tokens are never stored: they are signed from this row after the commit.
 * Ed25519 is deterministic, so the same row always gives the same bytes.
 */
export interface Grant {
  readonly grantId: string;
  readonly tenantId: string;
  /** The principal on whose behalf the tokens act. */
  readonly principalId: string;
  readonly oauthClientId: string;
  /** Sorted, without duplicates. */
  readonly scopes: readonly string[];
  /** The `kid` of the signing key. */
  readonly keyId: string;
  /** Seconds since the epoch, as in a JWT. */
  readonly issuedAt: number;
  /** Seconds since the epoch, as in a JWT. */
  readonly expiresAt: number;
  readonly accessTokenId: string;
  /** Empty when the grant has no broker token. */
  readonly brokerTokenId: string;
  /** The RFC 7638 thumbprint of the proof-of-possession key; empty without such a key. */
  readonly popKeyId: string;
  /** Undefined: the approval has no bounds. */
  readonly delegation?: GrantedDelegation | undefined;
  /** Where the person knows the login from, such as `Firefox on Linux, 203.0.113.7`. Undefined: unknown. */
  readonly device?: string | undefined;
}

export const grantSchema: Schema<Grant> = object({
  grantId: text,
  tenantId: text,
  principalId: text,
  oauthClientId: text,
  scopes: texts,
  keyId: text,
  issuedAt: number,
  expiresAt: number,
  accessTokenId: text,
  brokerTokenId: text,
  popKeyId: text,
  delegation: optional(object({ delegationId: text, bounds: boundsSchema })),
  device: optional(text),
});

/** Returns when a new grant expires, in seconds since the epoch: no later than its approval. */
export function grantExpiry(issuedAt: number, bounds: Bounds | undefined): number {
  const expiresAt = issuedAt + longestTokenLife;
  return bounds?.expiresAt === undefined ? expiresAt : Math.min(expiresAt, Math.floor(bounds.expiresAt / 1000));
}

/** The grants of a tenant. They are immutable, because the tokens signed from one must not change. */
export const grants = defineCollection<Grant>("grant", {
  schema: grantSchema,
  keyOf: ({ tenantId, grantId: key }) => ({ tenantId, key }),
  ownerOf: ({ principalId, oauthClientId }) => ({ principalId, oauthClientId }),
  expiresAt: ({ expiresAt }) => 1000 * expiresAt,
  immutable: true,
});

/** Where a grant is, for what belongs to it and does not name its tenant. */
interface GrantPlace {
  /** The id of one of its tokens, or the hash of the device code that was consumed for it. */
  readonly id: string;
  readonly tenantId: string;
  readonly grantId: string;
  /** When the token or the code expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

const grantPlaces = defineCollection<GrantPlace>("grant-place", {
  schema: object({ id: text, tenantId: text, grantId: text, expiresAt: number }),
  keyOf: ({ id: key }) => ({ tenantId: installation, key }),
  expiresAt: ({ expiresAt }) => expiresAt,
  immutable: true,
});

/** Returns where it is stored which grant a token or a consumed device code has. @param id the `jti`, or the hash of the code */
export function keyOfGrantPlace(id: string): RecordKey {
  return grantPlaces.key(installation, id);
}

/**
 * Finds the grant of an access token, a broker token or a consumed device code, in whatever tenant it is. Undefined for anything else,
 * such as a token of another issuer.
 *
 * @param id the `jti`, or the hash of the code
 */
export function findGrantOf(records: Records, id: string): Grant | undefined {
  const place = grantPlaces.find(records, installation, id);
  return place && grants.find(records, place.tenantId, place.grantId);
}

/** @param code the device code that is consumed for the grant. Default: none. */
export function grantWrites(
  grant: Grant,
  now: number,
  code?: { readonly deviceCodeHash: string; readonly expiresAt: number },
): readonly Write[] {
  const { tenantId, grantId, accessTokenId, brokerTokenId } = grant;
  const places = [accessTokenId, brokerTokenId]
    .filter((tokenId) => tokenId !== "")
    .map((id) => ({ id, tenantId, grantId, expiresAt: 1000 * grant.expiresAt }));
  if (code !== undefined) places.push({ id: code.deviceCodeHash, tenantId, grantId, expiresAt: code.expiresAt });
  return [grants.create(grant, now), ...places.map((place) => grantPlaces.create(place, now))];
}

/** A revoked grant, or the revoked token of another issuer. */
interface Revocation {
  /** The installation for a token of another issuer: nobody knows its tenant. */
  readonly tenantId: string;
  /** The id of the grant, or the `jti`. */
  readonly subjectId: string;
  /** Empty if it is not known. */
  readonly principalId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** When the tokens expire, in milliseconds since the epoch. Undefined: only their issuer knows. */
  readonly expiresAt: number | undefined;
}

export const revocations = defineCollection<Revocation>("revocation", {
  schema: object({ tenantId: text, subjectId: text, principalId: text, at: number, expiresAt: optional(number) }),
  keyOf: ({ tenantId, subjectId: key }) => ({ tenantId, key }),
  ownerOf: ({ principalId }) => ({ principalId }),
  expiresAt: ({ expiresAt }) => expiresAt,
  immutable: true,
});

/** Returns whether there is a revocation: also one that has expired, or that a restored backup has ended. */
export function isRevoked(records: Records, tenantId: string, subjectId: string): boolean {
  return records.find(revocations.key(tenantId, subjectId)) !== undefined;
}

export function findValidGrant(records: Records, tenantId: string, grantId: string): Grant | undefined {
  const grant = grants.find(records, tenantId, grantId);
  return grant !== undefined && !isRevoked(records, tenantId, grantId) ? grant : undefined;
}

type RevokedGrant = Pick<Grant, "tenantId" | "principalId" | "grantId" | "expiresAt">;

/** Returns the writes that revoke a grant, and so its tokens. None if it is revoked: the first revocation keeps its time. */
export function revokeGrant(records: Records, grant: RevokedGrant, now: number): readonly Write[] {
  const { tenantId, principalId, grantId: subjectId, expiresAt } = grant;
  if (isRevoked(records, tenantId, subjectId)) return [];
  return [revocations.create({ tenantId, subjectId, principalId, at: now, expiresAt: 1000 * expiresAt }, now)];
}

/** Returns the writes that revoke a token of another issuer. None if it is revoked. */
export function revokeForeignToken(records: Records, tokenId: string, now: number): readonly Write[] {
  if (isForeignTokenRevoked(records, tokenId)) return [];
  const revocation = { tenantId: installation, subjectId: tokenId, principalId: "", at: now, expiresAt: undefined };
  return [revocations.create(revocation, now)];
}

export function isForeignTokenRevoked(records: Records, tokenId: string): boolean {
  return isRevoked(records, installation, tokenId);
}

/** Sorts scopes and removes duplicates: the stored form of scopes. */
export function normalizeScopes(scopes: Iterable<string>): string[] {
  return [...new Set(scopes)].sort();
}
