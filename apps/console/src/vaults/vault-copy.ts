import { createClient } from "@connectrpc/connect";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { createVaultFeed, type VaultFeed } from "../feed/vault-feed.js";
import { type Contents, createContents } from "../opening/contents.js";
import type { OpenItems } from "../opening/opener.js";
import { threads } from "../opening/threads.js";
import type { Calls } from "../session/console-context.js";
import { reloadIfUpdated } from "../session/page-version.js";
import type { ConsoleSession } from "../session/session.js";
import type { OwnVault } from "./own-vault.js";

const pageSize = 500;

/** Longer than the server waits for a change. */
const timeoutMs = 40_000;

/** How many vaults wait for their next change at the same time. A browser has 6 connections to an origin, and other calls need some. */
const mostWaiting = 3;

/** How often the other vaults ask for changes, in milliseconds. */
const askEveryMs = 10_000;

/** A vault in this browser: its items, which follow the server, and their decrypted contents. */
export interface VaultCopy {
  readonly vaultId: string;
  readonly feed: VaultFeed;
  readonly contents: Contents;
}

/** The copies of the vaults of a person. */
export interface VaultCopies {
  /** Opens a vault: once, or again if it was lost or has got a key. */
  open(vault: Pick<OwnVault, "vaultId" | "key">): VaultCopy;
  /** Returns a vault that is open. */
  find(vaultId: string): VaultCopy | undefined;
}

export function createVaultCopies(session: ConsoleSession, calls: Calls): VaultCopies {
  const members = createClient(MemberVaultService, calls.member);
  const copies = new Map<string, VaultCopy & { readonly keyId: string | undefined }>();
  let waiting = 0;

  function create({ vaultId, key }: Pick<OwnVault, "vaultId" | "key">) {
    const feed = createVaultFeed({
      async list(wanted, signal) {
        const ask = (waitSeconds: number) =>
          members.listChanges({ vaultId, limit: pageSize, ...wanted, waitSeconds }, { signal, timeoutMs });
        if (wanted.waitSeconds === 0) return ask(0);
        if (waiting >= mostWaiting) {
          await sleep(askEveryMs);
          return ask(0);
        }
        waiting += 1;
        return ask(wanted.waitSeconds).finally(() => {
          waiting -= 1;
        });
      },
      sleep,
    });
    const { tenantId, principalId, keys } = session;
    const reader = { tenantId, vaultId, principalId, decryptionKey: keys?.decryptionKey, member: keys?.member, key };
    // The cryptography is no part of the first load. It arrives while the first items do.
    const loading = import("../opening/open-items-of.js");
    const opening = loading.then(({ openItemsOf }) => openItemsOf(reader), notOpened);
    // While a worker opens a batch, its next one is there already.
    const contents = createContents(async (items) => (await opening)(items), 2 * threads);
    const copy = { vaultId, feed, contents, keyId: key?.keyId };
    let { items } = feed.snapshot().copy;
    feed.subscribe(() => {
      if (items === feed.snapshot().copy.items) return;
      items = feed.snapshot().copy.items;
      contents.want(items.values());
    });
    copies.set(vaultId, copy);
    return copy;
  }
  return {
    open(vault) {
      const copy = copies.get(vault.vaultId);
      const usable = copy !== undefined && copy.feed.snapshot().state !== "lost" && copy.keyId === vault.key?.keyId;
      if (!usable) copy?.feed.pause();
      return usable ? copy : create(vault);
    },
    find: (vaultId) => copies.get(vaultId),
  };
}

/** Opens nothing: the script that does could not be loaded. */
function notOpened(): OpenItems {
  void reloadIfUpdated();
  const closed = "A part of the page could not be loaded. Reload the page.";
  return async (items) => items.map(() => ({ closed }));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
