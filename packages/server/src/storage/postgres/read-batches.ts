import { StorageError } from "../../ports/storage.js";

export type ReadOne<Key, Value> = (key: Key) => Promise<Value>;

interface Waiting<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a function that reads things in batches: what is asked for while a read is in flight is read by the next one. A read
 * begins after it was asked for, so it sees everything committed before.
 *
 * @param readAll returns the values in the order of the keys
 * @param blames returns whether one of the keys is the cause of an error. Then each key is read alone.
 */
export function createReadBatches<Key, Value>(
  readAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
  limit: number,
  blames: (error: unknown) => boolean,
): ReadOne<Key, Value> {
  let waiting: Waiting<Key, Value>[] = [];
  let reading = false;

  const read = async (batch: readonly Waiting<Key, Value>[]): Promise<void> => {
    try {
      const values = await readAll(batch.map(({ key }) => key));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const value = values[index];
        if (value === undefined) reject(new StorageError("unavailable"));
        else resolve(value);
      }
    } catch (error) {
      if (batch.length > 1 && blames(error)) for (const one of batch) await read([one]);
      else for (const { reject } of batch) reject(error);
    }
  };

  const next = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limit);
      waiting = waiting.slice(limit);
      await read(batch);
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
