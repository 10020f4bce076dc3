import type { FileHandle } from "node:fs/promises";
import { backup, type DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";

/**
 * Pages that are copied in one step, for which the database is locked: 256 KiB. Measured with 200 MB under load: at 256
 * the longest stall of the event loop is that of a commit; at 1000 the median commit takes ten times as long.
 */
const pagesPerStep = 256;

/** A first step that meets an open transaction fails, and is tried again a millisecond later. */
const firstSteps = 1_000;

/**
 * Copies a database that is in use to a file that exists and is empty. Commits on the same connection go on in between
 * steps, and SQLite repeats in the copy what they change in pages that are copied already: the copy is the state at the
 * last step, however long it took.
 *
 * The last step flushes the copy to disk while the database is locked. So `target`, a handle of the same file, is flushed
 * all the time, off the event loop, and little is left for the last step.
 *
 * @throws what `check` throws: it is called between steps and can end the copy.
 */
export async function copyOnline(
  database: DatabaseSync,
  { path, target, check }: { path: string; target: FileHandle; check: () => void },
): Promise<void> {
  let flushing: Promise<void> | undefined;
  let begun = false;
  const flush = () => {
    // What a failed flush means is for the last one to say.
    flushing ??= target
      .datasync()
      .catch(() => undefined)
      .finally(() => {
        flushing = undefined;
      });
  };
  const progress = () => {
    begun = true;
    check();
    flush();
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      check();
      await backup(database, path, { rate: pagesPerStep, progress });
      break;
    } catch (error) {
      if (begun || attempt === firstSteps) throw error;
      await setTimeout(1);
    } finally {
      await flushing;
    }
  }
}
