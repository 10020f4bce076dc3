import { StorageError } from "../../ports/storage.js";

/** Reads one thing. */
export type ReadOne<Key, Value> = (key: Key) => Promise<Value>;

/**
 * Creates a function that reads things in batches: what is asked for while a read is in flight is read by the next one. A read
 * begins after it was asked for, so it sees everything committed before.
 *
 * @param readAll returns the values in the order of the keys
 */
export function createReadBatches<Key, Value>(
  readAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
  limit: number,
): ReadOne<Key, Value> {
  let waiting: {
    readonly key: Key;
    readonly resolve: (value: Value) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  let reading = false;

  const next = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limit);
      waiting = waiting.slice(limit);
      try {
        const values = await readAll(batch.map(({ key }) => key));
        for (const [index, { resolve, reject }] of batch.entries()) {
          const value = values[index];
          if (value === undefined) reject(new StorageError("unavailable"));
          else resolve(value);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    reading = false;
  };

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (reading) return;
      reading = true;
      setImmediate(next);
    });
}
