import type { AcknowledgedChange } from "../../domain/model/history.js";

/** The time that one kept change stands for, in milliseconds. */
const slotMs = 100;
/** How many changes are kept: those of 12.8 s, because a busy process may read the history of its database some seconds late. */
const kept = 128;

/**
 * The newest changes that a storage has acknowledged: one for each tenth of a second in which there were any, and the last before each new
 * connection. A failover ends all connections, so no change after it replaces the last one before it, however fast it was.
 */
export interface RecentChanges {
  /** Records the last change of a batch that was committed. */
  acknowledged(change: AcknowledgedChange): void;
  /** Records that a connection was opened, perhaps to another server than the ones before. */
  connected(): void;
  list(): readonly AcknowledgedChange[];
}

export function createRecentChanges(now: () => number = () => performance.now()): RecentChanges {
  const changes: AcknowledgedChange[] = [];
  let newestSlot: number | undefined;
  return {
    acknowledged(change) {
      const slot = Math.floor(now() / slotMs);
      if (slot === newestSlot) changes.pop();
      newestSlot = slot;
      changes.push(change);
      if (changes.length > kept) changes.shift();
    },
    connected() {
      newestSlot = undefined;
    },
    list: () => [...changes],
  };
}
