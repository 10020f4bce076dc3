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

const identifier = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const greatestVersion = 2 ** 32 - 1;

/** Whether a text can be an identifier of the platform. JSON escapes nothing of one. */
export function isIdentifier(text: string): boolean {
  return identifier.test(text);
}

/** Whether a value can be the version of an item. */
export function isVersion(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= greatestVersion;
}
