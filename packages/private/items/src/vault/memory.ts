/** A content of an item, as it was sealed. */
export interface Revision {
  /** The version of the item that was sealed. */
  readonly version: number;
  /** The SHA-256 of the ciphertext, base64url. That of the text would let whoever finds it try passwords. */
  readonly hash: string;
  /** The content that it replaces, if it names one. */
  readonly replaces?: Omit<Revision, "replaces"> | undefined;
}

/** What a device remembers of an item: the newest content, and the newest deletion, that it has seen. */
export interface SeenItem extends Omit<Revision, "replaces"> {
  /** The highest version at which the item was deleted. 0: never. */
  readonly deleted: number;
}

export type SeenItems = ReadonlyMap<string, SeenItem>;

/** Where a device keeps what it has seen of a vault. */
export interface MemoryStore {
  read(): Promise<SeenItems>;
  /** Merges items into the stored ones, as `mergeSeen` does: another program may have stored some meanwhile. */
  write(seen: SeenItems): Promise<void>;
}

export interface SentItem {
  readonly itemId: string;
  readonly version: number;
  readonly deleted: boolean;
  /** Undefined if it could not be opened. */
  readonly revision: Revision | undefined;
  /** Whether this device has just written it: the person has accepted what it replaces. Default: no. */
  readonly isOwn?: boolean | undefined;
}

/** How an item contradicts what the device has seen: in the version `seen`. The server has sent the version `sent`. */
export interface Finding {
  readonly what: "older" | "forked" | "returned";
  readonly seen: number;
  readonly sent: number;
}

/** What a device has seen of a vault. A server that takes something back is noticed. */
export interface Memory {
  /** Judges items, and remembers those that contradict nothing. */
  judge(items: readonly SentItem[]): Promise<readonly (Finding | undefined)[]>;
  /** Resolves when everything that was judged is stored. Rejects if it could not be stored. */
  stored(): Promise<void>;
}

/** Of an item of which nothing was seen. */
export const unseen: SeenItem = { version: 0, hash: "", deleted: 0 };

/** Returns what two programs have seen together. */
export function mergeSeen(one: SeenItems, other: SeenItems): Map<string, SeenItem> {
  const merged = new Map(one);
  for (const [itemId, seen] of other) merged.set(itemId, mergeItem(merged.get(itemId) ?? unseen, seen));
  return merged;
}

/** Returns the same object if the other one adds nothing. Programs that have seen two contents of one version keep the same one. */
function mergeItem(one: SeenItem, other: SeenItem): SeenItem {
  const isNewer = other.version > one.version || (other.version === one.version && other.hash > one.hash);
  if (!isNewer && other.deleted <= one.deleted) return one;
  const { version, hash } = isNewer ? other : one;
  return { version, hash, deleted: Math.max(one.deleted, other.deleted) };
}

/** Creates the memory of a vault. @param wait resolves when it is time to write. It gets the number of items that were seen */
export function createMemory(store: MemoryStore, wait: (items: number) => Promise<unknown>): Memory {
  let reading: Promise<Map<string, SeenItem>> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let waiting = false;
  // One write at a time: what is judged meanwhile is written together.
  const write = async (items: SeenItems, before: Promise<void>) => {
    waiting = true;
    await Promise.allSettled([before, wait(items.size)]);
    waiting = false;
    await store.write(items);
  };
  return {
    async judge(items) {
      reading ??= store.read().then((stored) => new Map(stored));
      const known = await reading;
      return items.map((item) => {
        const before = known.get(item.itemId) ?? unseen;
        const finding = findingOf(item, before);
        const revision = (finding === undefined && item.revision) || unseen;
        const after = mergeItem(before, { ...revision, deleted: item.deleted ? item.version : 0 });
        if (after === before) return finding;
        known.set(item.itemId, after);
        if (!waiting) writing = write(known, writing);
        writing.catch(() => undefined);
        return finding;
      });
    },
    stored: () => writing,
  };
}

function findingOf({ version, deleted, revision, isOwn = false }: SentItem, seen: SeenItem): Finding | undefined {
  // A restored item has a version above that of the deletion.
  if (!deleted && version <= seen.deleted) return { what: "returned", seen: seen.deleted, sent: version };
  if (revision === undefined) return undefined;
  const found = { seen: seen.version, sent: revision.version };
  if (revision.version < seen.version) return { what: "older", ...found };
  if (isOwn) return undefined;
  const compared = revision.version === seen.version ? revision : revision.replaces;
  // Contents between the two may not have been seen here.
  if (compared === undefined || compared.version > seen.version) return undefined;
  const isSame = compared.version === seen.version && (compared.hash === seen.hash || seen.hash === "");
  return isSame ? undefined : { what: "forked", ...found };
}

export const findingInShort: Readonly<Record<Finding["what"], string>> = {
  older: "Older than what you saw",
  forked: "Does not continue what this device has seen",
  returned: "Deleted before, and back",
};

export function findingInWords({ what, seen, sent }: Finding): string {
  const unless = "A backup may have been restored. If it was not,";
  return {
    older: `This is older than what you saw: this device has seen version ${seen} of the item, and the server sent version ${sent}. ${unless} somebody may have put an old content in the place of the new one.`,
    forked: `This does not continue what this device has seen: version ${sent} was not written over version ${seen}, which this device has seen. ${unless} another device may have been shown an old content, and changed that. Compare the item with what you know before you use it.`,
    returned: `This item was deleted: this device has seen its deletion, version ${seen}, and the server sent version ${sent} as if nothing was deleted. ${unless} somebody may have undone the deletion. If you do not need the item, delete it again.`,
  }[what];
}
