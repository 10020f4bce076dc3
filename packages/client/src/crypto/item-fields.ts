/** The location of an item and its version. */
export interface ItemPlace {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly itemId: string;
  /**
   * When sealing: the version that the item gets when it is stored, its base version + 1. When opening: the item's current
   * version.
   */
  readonly version: number;
}

const identifier = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const greatestVersion = 2 ** 32 - 1;

/** What a valid identifier is, for error messages. */
export const identifierRule = "1 to 128 letters, digits or . _ : -, starting with a letter or digit";

/** Reports whether a value is a valid identifier. Identifiers contain no character that JSON escapes. */
export function isIdentifier(value: unknown): boolean {
  // A regular expression would accept undefined as "undefined".
  return typeof value === "string" && identifier.test(value);
}

export function isVersion(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= greatestVersion;
}

/** An encrypted payload: the JSON form of `platform.v1.EncryptedPayload`. */
export interface EncryptedPayload {
  readonly alg: string;
  readonly nonce: string;
  readonly aad: string;
  readonly ciphertext: string;
  readonly version: number;
}
