import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

export function flipByte(path: string, at: number, mask = 0x01): void {
  const before = readFileSync(path)[at] ?? 0;
  const file = openSync(path, "r+");
  writeSync(file, Uint8Array.of(before ^ mask), 0, 1, at);
  closeSync(file);
}

/** Flips a bit in the middle of the first occurrence of a text in a file. */
export function flipText(path: string, text: string): void {
  const at = readFileSync(path).indexOf(text);
  if (at === -1) throw new Error(`the file does not contain ${text}`);
  flipByte(path, at + Math.floor(text.length / 2));
}
