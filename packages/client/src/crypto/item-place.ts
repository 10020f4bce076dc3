import { utf8 } from "./utf8.js";

/** Where an item is, and which of its versions. */
export interface ItemPlace {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly itemId: string;
  /**
   * When sealing: the version that the item gets when it is stored, one more than its base version. When opening: the
   * version that the item has now.
   */
  readonly version: number;
}

/** The version of what is written here: the payload's `version`. */
export const formatVersion = 1;

const identifier = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const greatestVersion = 2 ** 32 - 1;

/**
 * What a payload is bound to: the JSON array `[1,"tenant","vault","item",version]` without spaces, as UTF-8. No two places
 * have the same, because identifiers hold nothing that JSON would have to escape.
 *
 * @throws TypeError when an identifier or the version is out of bounds.
 */
export function encodePlace({ tenantId, vaultId, itemId, version }: ItemPlace): Uint8Array<ArrayBuffer> {
  if (![tenantId, vaultId, itemId].every((id) => identifier.test(id)))
    throw new TypeError("tenantId, vaultId and itemId must be identifiers of the platform");
  if (!isVersion(version)) throw new TypeError("version must be a whole number from 1 to 4294967295");
  return utf8(JSON.stringify([formatVersion, tenantId, vaultId, itemId, version]));
}

/** The version that the place of a payload names, or undefined. @throws SyntaxError when it is no JSON. */
export function versionIn(encodedPlace: Uint8Array): number | undefined {
  const parts: unknown = JSON.parse(new TextDecoder().decode(encodedPlace));
  const version: unknown = Array.isArray(parts) ? parts[4] : undefined;
  return isVersion(version) ? version : undefined;
}

function isVersion(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= greatestVersion;
}
