import { openBrowserCopies } from "../feed/browser-copies.js";
import { createBrowserWatch } from "../feed/browser-watch.js";
import { createVaultFeed, type VaultFeed } from "../feed/vault-feed.js";
import { type Contents, createContents } from "../opening/contents.js";
import { openItemsOf } from "../opening/open-items-of.js";
import { threads } from "../opening/threads.js";
import type { Members } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import type { OwnVault } from "./own-vault.js";

/** How many items the first page of a vault has, which a person waits for, and how many the others have. */
const [firstPageSize, pageSize] = [50, 500];

/** How many pages are read at the same time: a browser has 6 connections to an origin for all tabs, and the person needs one. */
const mostReading = 3;

/** A vault in this browser: its items, which follow the server, and their decrypted contents. */
export interface VaultCopy {
  readonly vaultId: string;
  readonly feed: VaultFeed;
  readonly contents: Contents;
}

export function createVaultCopies(session: ConsoleSession, members: Members) {
  const copies = new Map<string, VaultCopy & { readonly keyId: string | undefined }>();
  const watch = createBrowserWatch(session, members);
  const kept = openBrowserCopies(session);
  const lanes = Array.from({ length: mostReading }, createLane);

  function create({ vaultId, key }: Pick<OwnVault, "vaultId" | "key">) {
    const inTurn = lanes[copies.size % mostReading] ?? createLane();
    const feed = createVaultFeed({
      list: (afterSequence, signal) =>
        inTurn(() => {
          const limit = afterSequence === 0 ? firstPageSize : pageSize;
          return members.listChanges({ vaultId, limit, afterSequence }, { signal });
        }),
      changed: (sequence, signal) => watch.changed({ vaultId, sequence }, signal),
      sleep,
      kept: kept.vault(vaultId),
    });
    const { tenantId, principalId, keys } = session;
    const reader = { tenantId, vaultId, principalId, decryptionKey: keys.decryptionKey, member: keys.member, key };
    // While a worker opens a batch, its next one is there already.
    const contents = createContents(openItemsOf(reader), 2 * threads);
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
    /** Knows where the vaults are at the server. */
    watch,
    /** What of them stays in the browser when the page is left. */
    kept,
    /** Opens a vault: once, or again if it was lost or has got a key. */
    open(vault: Pick<OwnVault, "vaultId" | "key">): VaultCopy {
      const copy = copies.get(vault.vaultId);
      const usable = copy !== undefined && copy.feed.snapshot().state !== "lost" && copy.keyId === vault.key?.keyId;
      if (!usable) copy?.feed.pause();
      return usable ? copy : create(vault);
    },
    find: (vaultId: string) => copies.get(vaultId),
  };
}

function createLane() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(call: () => Promise<Result>): Promise<Result> => {
    const calling = last.then(call, call);
    last = calling;
    return calling;
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
