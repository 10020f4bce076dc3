import type { Files, Operation } from "./operation.js";

/** The bytes of a file. Beyond `size`, they are zero. */
interface Stored {
  bytes: Buffer;
  size: number;
}

/** A disk, to which operations are applied. Flushes and marks have no effect on it. */
export interface Disk {
  apply(operation: Operation): void;
  files(): Files;
}

export function createDisk(): Disk {
  const names = new Map<string, number>();
  const stored = new Map<number, Stored>();

  const storedAs = (file: number): Stored => {
    const found = stored.get(file) ?? { bytes: Buffer.alloc(1024), size: 0 };
    stored.set(file, found);
    return found;
  };

  const write = (file: Stored, offset: number, bytes: Buffer): void => {
    const end = offset + bytes.length;
    if (end > file.bytes.length) file.bytes = Buffer.concat([file.bytes], 2 * end);
    bytes.copy(file.bytes, offset);
    file.size = Math.max(file.size, end);
  };

  const truncate = (file: Stored, size: number): void => {
    if (size > file.bytes.length) file.bytes = Buffer.concat([file.bytes], size);
    file.bytes.fill(0, size, Math.max(size, file.size));
    file.size = size;
  };

  return {
    apply(operation) {
      if (operation.kind === "write") write(storedAs(operation.file), operation.offset, operation.bytes);
      else if (operation.kind === "truncate") truncate(storedAs(operation.file), operation.size);
      else if (operation.kind === "names") {
        for (const [name, file] of operation.names) {
          if (file === undefined) names.delete(name);
          else names.set(name, file);
        }
      }
    },

    files: () =>
      new Map(
        [...names].map(([name, file]) => {
          const { bytes, size } = storedAs(file);
          return [name, bytes.subarray(0, size)];
        }),
      ),
  };
}
