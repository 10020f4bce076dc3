import type { DatabaseSync } from "node:sqlite";

/** The reads of a connection, while another one writes. No read stays open: that would block the truncation of the log. */
export interface Reads {
  /** Reads in one consistent view. */
  inView<Result>(read: () => Result): Result;
  /** Reads later in this turn of the event loop, in a view that all such reads share: to begin one costs as much as a read. */
  soon<Result>(read: () => Result): Promise<Result>;
  /** Performs the reads that wait. */
  finish(): void;
}

/** Creates the reads of a connection. @param mayRead called before each view that is read later; its error fails the reads. */
export function createReads(database: DatabaseSync, mayRead: () => void): Reads {
  const begin = database.prepare("BEGIN");
  const commit = database.prepare("COMMIT");
  let waiting: { readonly read: () => () => void; readonly reject: (error: unknown) => void }[] = [];

  const inView: Reads["inView"] = (read) => {
    begin.run();
    try {
      return read();
    } finally {
      // Some errors end it.
      if (database.isTransaction) commit.run();
    }
  };

  const finish = (): void => {
    const reads = waiting;
    waiting = [];
    if (reads.length === 0) return;
    try {
      mayRead();
      const answers = inView(() => reads.map(({ read }) => read()));
      for (const answer of answers) answer();
    } catch (error) {
      for (const { reject } of reads) reject(error);
    }
  };

  return {
    inView,
    soon: (query) =>
      new Promise((resolve, reject) => {
        const read = () => {
          try {
            const result = query();
            return () => resolve(result);
          } catch (error) {
            return () => reject(error);
          }
        };
        if (waiting.push({ read, reject }) === 1) setImmediate(finish);
      }),
    finish,
  };
}
