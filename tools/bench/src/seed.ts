/** The number of vaults that contain the items. */
export const vaults = 100;

export function vaultName(index: number): string {
  return `vault-${index}`;
}

export function itemName(index: number): string {
  return `item-${index}`;
}
