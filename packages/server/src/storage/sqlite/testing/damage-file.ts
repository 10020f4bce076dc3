import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** Changes one byte of a file that nobody has open. */
export function flipByte(path: string, at: number, mask = 0x01): void {
  const before = readFileSync(path)[at] ?? 0;
  const file = openSync(path, "r+");
  writeSync(file, Uint8Array.of(before ^ mask), 0, 1, at);
  closeSync(file);
}

/** Changes one byte in the midst of the first place where a text stands in a file. */
export function flipText(path: string, text: string): void {
  const at = readFileSync(path).indexOf(text);
  if (at === -1) throw new Error(`the file does not contain ${text}`);
  flipByte(path, at + Math.floor(text.length / 2));
}
