import { open, readFile } from "node:fs/promises";

/** How much is read at once, in bytes. */
const chunk = 256 * 1024;

/** Returns the names of those texts that are in the writable memory of a process: its heaps, buffers and stacks. Linux only. */
export async function findInMemory(pid: number, texts: ReadonlyMap<string, Buffer>): Promise<Set<string>> {
  const found = new Set<string>();
  const longest = Math.max(...[...texts.values()].map(({ length }) => length));
  const buffer = Buffer.alloc(chunk + longest);
  const zeros = Buffer.alloc(chunk + longest);
  await using memory = await open(`/proc/${pid}/mem`);
  for (const { start, end } of await writableRanges(pid)) {
    // Chunks overlap, so that no text is cut.
    for (let at = start; at < end; at += chunk) {
      const length = Math.min(chunk + longest, end - at);
      const read = await memory.read(buffer, 0, length, at).catch(() => undefined);
      const bytes = buffer.subarray(0, read?.bytesRead ?? 0);
      // Most of the memory was never used.
      if (bytes.equals(zeros.subarray(0, bytes.length))) continue;
      for (const [name, text] of texts) if (bytes.includes(text)) found.add(name);
    }
  }
  return found;
}

async function writableRanges(pid: number): Promise<{ readonly start: number; readonly end: number }[]> {
  const maps = await readFile(`/proc/${pid}/maps`, "utf8");
  return [...maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)].map(([, start = "", end = ""]) => ({
    start: Number.parseInt(start, 16),
    end: Number.parseInt(end, 16),
  }));
}
