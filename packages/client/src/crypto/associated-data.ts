import type { ItemKey } from "./item-key.js";
import { type ItemPlace, identifierRule, isIdentifier, isVersion } from "./item-place.js";
import { keyCommitment } from "./key-commitment.js";
import { utf8 } from "./utf8.js";

/** The version of a payload: `EncryptedPayload.version`. */
export type PayloadFormat = 1 | 2;

/** The values that format 2 binds a payload to. */
export interface Bindings {
  readonly place: ItemPlace;
  /** The item's `kind`. */
  readonly kind: string;
  /** The item's `titleHash`: the result of {@link titleHash}, or any base64url without padding. May be empty. */
  readonly titleHash: string;
  readonly itemKey: ItemKey;
}

const itemKind = /^[a-z][a-z0-9_]{0,63}$/;
const hash = /^[A-Za-z0-9_-]{0,256}$/;

/**
 * Returns the additional authenticated data (AAD) of a payload: a JSON array without spaces, as UTF-8. No two items have the
 * same AAD, because none of its values contains a character that JSON escapes.
 *
 * - Format 1: `[1,"tenant","vault","item",version]`.
 * - Format 2: `[2,"tenant","vault","item",version,"kind","titleHash","keyCommitment"]`.
 *
 * @throws TypeError (as a rejection) when an identifier, the version, the kind or the title hash is out of bounds.
 */
export async function associatedData(format: PayloadFormat, bindings: Bindings): Promise<Uint8Array<ArrayBuffer>> {
  const { place, kind, titleHash, itemKey } = bindings;
  const { tenantId, vaultId, itemId, version } = place;
  if (![tenantId, vaultId, itemId].every(isIdentifier))
    throw new TypeError(`Invalid place: tenantId, vaultId and itemId must each be ${identifierRule}.`);
  if (!isVersion(version)) throw new TypeError("Invalid place: version must be a whole number from 1 to 4294967295.");
  const parts = [format, tenantId, vaultId, itemId, version];
  if (format === 1) return utf8(JSON.stringify(parts));
  if (typeof kind !== "string" || !itemKind.test(kind))
    throw new TypeError("Invalid kind: must be 1 to 64 characters of a-z, 0-9 and _, starting with a letter.");
  if (typeof titleHash !== "string" || !hash.test(titleHash))
    throw new TypeError("Invalid titleHash: must be at most 256 characters of base64url. Compute it with titleHash().");
  return utf8(JSON.stringify([...parts, kind, titleHash, await keyCommitment(itemKey)]));
}

/**
 * Returns the item version in associated data; undefined when it contains no valid version. @throws SyntaxError when it is not
 * JSON.
 */
export function versionIn(data: Uint8Array): number | undefined {
  const parts: unknown = JSON.parse(new TextDecoder().decode(data));
  const version: unknown = Array.isArray(parts) ? parts[4] : undefined;
  return isVersion(version) ? version : undefined;
}
