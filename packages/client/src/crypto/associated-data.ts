import type { ItemKey } from "./item-key.js";
import { type ItemPlace, isIdentifier, isVersion } from "./item-place.js";
import { keyCommitment } from "./key-commitment.js";
import { utf8 } from "./utf8.js";

/** The version of a payload: `EncryptedPayload.version`. */
export type PayloadFormat = 1 | 2;

/** What format 2 binds a payload to. */
export interface Bindings {
  readonly place: ItemPlace;
  /** The item's `kind`. */
  readonly kind: string;
  /** The item's `titleHash`: of {@link titleHash}, or any base64url without padding, also none. */
  readonly titleHash: string;
  readonly itemKey: ItemKey;
}

const itemKind = /^[a-z][a-z0-9_]{0,63}$/;
const hash = /^[A-Za-z0-9_-]{0,256}$/;

/**
 * The additional authenticated data of a payload: a JSON array without spaces, as UTF-8. Different items never have the same,
 * because JSON has nothing to escape in what stands in it.
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
    throw new TypeError("tenantId, vaultId and itemId must be identifiers of the platform");
  if (!isVersion(version)) throw new TypeError("version must be a whole number from 1 to 4294967295");
  const parts = [format, tenantId, vaultId, itemId, version];
  if (format === 1) return utf8(JSON.stringify(parts));
  if (!itemKind.test(kind)) throw new TypeError("kind must be 1 to 64 of a-z, 0-9 and _, and begin with a letter");
  if (!hash.test(titleHash)) throw new TypeError("titleHash must be at most 256 characters of base64url");
  return utf8(JSON.stringify([...parts, kind, titleHash, await keyCommitment(itemKey)]));
}

/** The item's version that associated data names, or undefined. @throws SyntaxError when it is no JSON. */
export function versionIn(data: Uint8Array): number | undefined {
  const parts: unknown = JSON.parse(new TextDecoder().decode(data));
  const version: unknown = Array.isArray(parts) ? parts[4] : undefined;
  return isVersion(version) ? version : undefined;
}
