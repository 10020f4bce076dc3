/** How many vaults the items are spread over. */
export const vaults = 100;

export function vaultName(index: number): string {
  return `vault-${index}`;
}

export function itemName(index: number): string {
  return `item-${index}`;
}
