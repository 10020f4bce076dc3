/** Returns what a vault is called: the personal one has the id of its person. */
export function vaultName(vaultId: string, { principalId }: { readonly principalId: string }): string {
  return vaultId === principalId ? "Personal" : vaultId;
}
