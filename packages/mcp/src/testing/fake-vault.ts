import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { createPlatformClient, createPlatformTransport } from "@platform-rpc/client";
import { createFakePlatform } from "@platform-rpc/client/testing";
import type { Clients } from "@platform-rpc/signed-in";
import { MemberVaultService } from "@platform-rpc/signed-in";
import { type ItemSchema, VaultService } from "@platform-rpc/types";

/** The state of an item, as far as the tools see it. */
export interface FakeItem {
  readonly version: number;
  readonly deleted?: boolean;
  readonly kind?: string;
}

/** The vaults of one person, in memory. Deletions are those of the fake platform of the client. */
export function createFakeVault({ vaults = ["v-1"], retentionDays = 30 } = {}) {
  const fake = createFakePlatform();
  const client = createPlatformClient(fake.options);
  /** Rejects with errors that a service can pass on. */
  const served = createClient(VaultService, createPlatformTransport(fake.options));
  const items = new Map<string, { readonly sequence: number; readonly item: MessageInitShape<typeof ItemSchema> }>();
  let sequence = 0;

  /** Sets the state of an item of the first vault, as another writer would. */
  function put(itemId: string, { version, deleted = false, kind = "login" }: FakeItem): void {
    const [vaultId = ""] = vaults;
    sequence += 1;
    items.set(itemId, { sequence, item: { itemId, vaultId, version, deleted, kind } });
    if (!deleted) fake.putItem({ vaultId, itemId, version });
  }

  const keep = ({ itemId, version }: { readonly itemId: string; readonly version: number }) =>
    put(itemId, { version, deleted: true });

  async function deleteItem(...args: Parameters<typeof client.vault.deleteItem>) {
    const answer = await client.vault.deleteItem(...args);
    keep(answer.item);
    return answer;
  }

  const transport = createRouterTransport(({ service }) => {
    service(VaultService, {
      async deleteItem(request) {
        const answer = await served.deleteItem(request);
        if (answer.item !== undefined) keep(answer.item);
        return answer;
      },
    });
    service(MemberVaultService, {
      listVaults: () => ({ vaults: vaults.map((vaultId) => ({ vaultId, role: "owner", retentionDays })) }),
      listChanges({ afterSequence, limit }) {
        const all = [...items.values()].filter((one) => one.sequence > afterSequence);
        const changes = all.sort((a, b) => a.sequence - b.sequence).slice(0, Math.min(limit, 2));
        const last = changes.at(-1)?.sequence ?? sequence;
        return { changes, cursor: { sequence: last }, hasMore: changes.length < all.length };
      },
      getItem({ itemId }) {
        const found = items.get(itemId);
        if (found === undefined) throw new ConnectError("no such item", Code.NotFound);
        return { item: found.item };
      },
      restoreItem({ itemId, baseVersion }) {
        put(itemId, { version: baseVersion + 1 });
        return { item: items.get(itemId)?.item ?? {} };
      },
    });
  });
  const clients: Clients = {
    platform: {
      vault: { ...client.vault, deleteItem },
    },
    member: createClient(MemberVaultService, transport),
  };
  return { fake, put, clients, transport, itemOf: (itemId: string) => items.get(itemId)?.item };
}
