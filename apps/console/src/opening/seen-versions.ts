import { createBrowserStore } from "@platform-rpc/accounts/browser/browser-store";
import type { Content } from "./open-content.js";

/**
 * The newest version of each item that this browser has opened: a server that answers with an older one, as after a restored backup, is
 * noticed.
 */
export interface SeenVersions {
  /** Marks the contents that are older than what this browser has opened, and remembers the others. */
  mark(itemIds: readonly string[], contents: readonly Content[]): Promise<readonly Content[]>;
}

/** Where the versions of a vault are kept: a name in the browser's storage, or a Map in a test. */
export interface VersionStore {
  read(vaultId: string): Promise<ReadonlyMap<string, number> | undefined>;
  write(vaultId: string, versions: ReadonlyMap<string, number>): Promise<void>;
}

/**
 * How long new versions are collected at most before they are written, in milliseconds. The versions of a vault are one record: a large one
 * is rarely written, and a small one nearly at once, because a person may leave the page.
 */
const writeAfterMs = 1_000;

/** @param wait calls a function after a time in milliseconds */
export function createSeenVersions(
  vaultId: string,
  store: VersionStore,
  wait: (write: () => void, ms: number) => unknown = setTimeout,
): SeenVersions {
  let loading: Promise<Map<string, number>> | undefined;
  let writing = false;
  // Without storage, a version is remembered until the page is left.
  const load = async () => new Map(await store.read(vaultId).catch(() => undefined));
  const writeLater = (versions: ReadonlyMap<string, number>) => {
    if (writing) return;
    writing = true;
    wait(
      () => {
        writing = false;
        void store.write(vaultId, versions).catch(() => undefined);
      },
      Math.min(versions.size, writeAfterMs),
    );
  };
  return {
    async mark(itemIds, contents) {
      loading ??= load();
      const versions = await loading;
      return contents.map((content, index) => {
        const itemId = itemIds[index];
        if (itemId === undefined || content.closed !== undefined) return content;
        const seen = versions.get(itemId) ?? 0;
        if (content.sealedVersion < seen) return { ...content, olderThan: seen };
        if (content.sealedVersion > seen) {
          versions.set(itemId, content.sealedVersion);
          writeLater(versions);
        }
        return content;
      });
    },
  };
}

const store = createBrowserStore("platform-vault", "seen-versions");

/** Keeps the versions in the browser, until the person signs out. */
export const browserVersionStore: VersionStore = {
  read: (vaultId) =>
    store.use<ReadonlyMap<string, number> | undefined>("readonly", (versions) => versions.get(vaultId)),
  async write(vaultId, seen) {
    await store.use("readwrite", (versions) => versions.put(seen, vaultId));
  },
};
