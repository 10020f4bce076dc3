import type { Grant } from "./grant.js";
import type { NewRecord, StoredRecord } from "./record.js";

/** The collection of the records that contain authorization codes. Their key is the hash of the code. */
export const authorizationCodes = "authorization-code";

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
  /** The redirect URI to which the code was sent, as the client has sent it. */
  readonly redirectUri: string;
  /** The code challenge of the method S256 (RFC 7636 section 4.2). */
  readonly codeChallenge: string;
  /** Identifies the API for which the tokens are (RFC 8707), such as `api`. */
  readonly resource: string;
  /** The RFC 7638 thumbprint of the key whose proof the redemption needs; empty without such a key. */
  readonly popKeyId: string;
  /** Whether the client gets a refresh token. */
  readonly refreshable: boolean;
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

/** The redemption of a code. */
export interface CodeRedemption {
  readonly grant: Grant;
  /** Identifies who may ask again: the hash of a proved key, or of an Idempotency-Key. Undefined: nobody may. */
  readonly retryKeyHash: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What a record of a code contains besides the members that every record has. */
type CodeValue = Omit<
  AuthorizationCode,
  "codeHash" | "tenantId" | "principalId" | "oauthClientId" | "createdAt" | "expiresAt"
>;

/** Creates the code of an approval. */
export function newAuthorizationCode(
  approved: ApprovedAuthorization,
  { codeHash, grantId }: Pick<AuthorizationCode, "codeHash" | "grantId">,
  now: number,
): AuthorizationCode {
  const expiresAt = now + authorizationCodeLife;
  return { ...approved, codeHash, grantId, createdAt: now, expiresAt, redemption: undefined };
}

/** Returns the record of a code. It is purged a day after it has expired: until then, its second use is noticed. */
export function recordOfCode(code: AuthorizationCode): NewRecord {
  const { codeHash: key, tenantId, principalId, oauthClientId, createdAt, expiresAt, ...value } = code;
  const stored: CodeValue = value;
  const owner = { tenantId, principalId, oauthClientId };
  return { collection: authorizationCodes, key, ...owner, value: JSON.stringify(stored), createdAt, expiresAt };
}

/** Reads the code in a record. */
export function codeOfRecord(record: StoredRecord): AuthorizationCode {
  const { key: codeHash, tenantId, principalId, oauthClientId, createdAt, expiresAt = createdAt } = record;
  const value: CodeValue = JSON.parse(record.value);
  const { redemption } = value;
  return { ...value, redemption, codeHash, tenantId, principalId, oauthClientId, createdAt, expiresAt };
}
