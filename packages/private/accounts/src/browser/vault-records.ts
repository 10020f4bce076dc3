import { createBrowserStore } from "./browser-store.js";

/** What this browser keeps of the vaults of a person: what the server has sent, encrypted. It contains no key that is open. */
export const vaultRecords = createBrowserStore("platform-vault-copies", "records");

export async function forgetVaultRecords(): Promise<void> {
  await vaultRecords.use("readwrite", (records) => records.clear());
}
