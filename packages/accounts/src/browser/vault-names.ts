import { nameOfVault, type WrappedVaultKey } from "../keys/vault-keys.js";
import { keptUserKeys } from "./kept-keys.js";

/** What the server has of the vaults of the signed-in person. */
interface ListedVaults {
  readonly tenantId: string;
  readonly principalId: string;
  readonly vaults: readonly {
    readonly vaultId: string;
    readonly key?: WrappedVaultKey;
    readonly encryptedName: string;
  }[];
}

/** Replaces the ids of vaults on the page by their names, which only the browser can decrypt. */
async function showNames(elements: readonly HTMLElement[]): Promise<void> {
  const response = await fetch("/account/api/vaults");
  if (!response.ok) return;
  const { tenantId, principalId, vaults }: ListedVaults = await response.json();
  const { member } = (await keptUserKeys(principalId)) ?? {};
  for (const { vaultId, key, encryptedName } of vaults) {
    const shown = elements.filter((element) => element.getAttribute("data-vault-id") === vaultId);
    if (shown.length === 0) continue;
    const name = await nameOfVault({ tenantId, vaultId, principalId, member, key }, encryptedName);
    for (const element of shown) element.textContent = name;
  }
}

const elements = Array.from(document.querySelectorAll<HTMLElement>("[data-vault-id]"));
// Without its name, a vault is still called by its id.
if (elements.length > 0) void showNames(elements).catch(() => undefined);
