import { titleOf } from "@platform-rpc/items/kind-fields";
import { type ItemReader, openItem, type SealedItem } from "@platform-rpc/items/vault/open-item";
import { nameOfVault, type WrappedVaultKey } from "@platform-rpc/items/vault/vault-key";
import { certifiedPrograms, type ListedCertificates } from "./certified-programs.js";
import { keptUserKeys } from "./kept-keys.js";
import { hasHadKey } from "./seen-vault-keys.js";

interface ListedVaults {
  readonly tenantId: string;
  readonly principalId: string;
  readonly vaults: readonly {
    readonly vaultId: string;
    readonly key?: WrappedVaultKey;
    readonly encryptedName: string;
    readonly revision: number;
  }[];
}

/** The longest title that is shown, in characters: a longer one would move what else the person must read out of view. */
const longest = 200;

const find = (selector: string) => document.querySelectorAll<HTMLElement>(selector);

async function get<Result>(path: string): Promise<Result> {
  const response = await fetch(`/account/api/${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** Shows the names of vaults, and the title of an item, which only the browser can decrypt. A locked browser shows a link to unlock it. */
async function showNames(): Promise<void> {
  const { tenantId, principalId, vaults } = await get<ListedVaults>("vaults");
  const keys = await keptUserKeys(principalId);
  if (keys === undefined) {
    for (const element of find("[data-unlock]")) element.hidden = false;
    for (const element of find("[data-sealed-item]")) element.hidden = true;
    return;
  }
  const { member, decryptionKey } = keys;
  const readerOf = (vaultId: string, key: WrappedVaultKey | undefined) => ({
    ...{ tenantId, vaultId, key, boundTo: principalId, wrappingKey: member.wrappingKey },
    recipient: { recipientId: principalId, privateKey: decryptionKey },
  });
  for (const { vaultId, key, ...named } of vaults) {
    const shown = find(`[data-vault-id="${CSS.escape(vaultId)}"]`);
    if (shown.length === 0) continue;
    const name = await nameOfVault(readerOf(vaultId, key), { tenantId, ...named, personId: principalId });
    for (const element of shown) element.textContent = name;
  }
  const [titled] = find("[data-sealed-item]");
  if (titled === undefined) return;
  const item: SealedItem & { readonly vaultId: string } = JSON.parse(titled.getAttribute("data-sealed-item") ?? "");
  const key = vaults.find(({ vaultId }) => vaultId === item.vaultId)?.key;
  const verifies = await hasHadKey({ principalId, vaultId: item.vaultId, key });
  const place = { tenantId, accountId: principalId };
  const readWriters = async () => [
    { writerId: principalId, publicKey: member.verificationKey },
    ...(await certifiedPrograms(await get<ListedCertificates>("certificates"), place, member.verificationKey)),
  ];
  await showTitle(titled, item, {
    ...readerOf(item.vaultId, key),
    writers: verifies ? await readWriters() : undefined,
  });
}

async function showTitle(element: HTMLElement, item: SealedItem, reader: ItemReader): Promise<void> {
  const opened = await openItem(item, reader);
  const title = opened.closed === undefined ? titleOf(item.kind, opened.content) : "Item that cannot be opened";
  const characters = [...title];
  element.textContent = characters.slice(0, longest).join("") + (characters.length > longest ? "…" : "");
  const unverified = reader.writers !== undefined && opened.closed === undefined && !opened.isVerified;
  for (const mark of find("[data-unverified]")) mark.hidden = !unverified;
}

// Without what only the browser can decrypt, the page still says that it is encrypted.
if (find("[data-vault-id], [data-sealed-item]").length > 0) void showNames().catch(() => undefined);
