import { PassThrough } from "node:stream";
import { ReadStream } from "node:tty";
import { describe, expect, it } from "vitest";
import { readHiddenLine } from "./hidden-input.js";

/** Asks on a terminal where somebody types. */
function ask(...typed: readonly string[]) {
  const modes: boolean[] = [];
  const keys = new PassThrough();
  const keyboard = Object.create(ReadStream.prototype, {});
  const input: ReadStream = Object.assign(keyboard, {
    isRaw: false,
    setRawMode: (mode: boolean) => modes.push(mode),
    setEncoding: (encoding: BufferEncoding) => keys.setEncoding(encoding),
    on: (event: string, listener: (text: string) => void) => keys.on(event, listener),
    off: (event: string, listener: (text: string) => void) => keys.off(event, listener),
    resume: () => keys.resume(),
    pause: () => keys.pause(),
  });
  let written = "";
  let canceled = false;
  const line = readHiddenLine(
    input,
    "password: ",
    (text) => {
      written += text;
    },
    () => {
      canceled = true;
    },
  );
  for (const text of typed) keys.write(text);
  return { line, modes, written: () => written, canceled: () => canceled };
}

describe("a hidden answer", () => {
  it.each([
    [["secret\r"], "secret"],
    [["sec", "ret", "\n"], "secret"],
    [["secrex\u007ft\r"], "secret"],
    [["wrong\u0015secret\r"], "secret"],
    [["grüße 👪\r"], "grüße 👪"],
    [["\u007f\r"], ""],
  ])("%j is %j, and is not shown", async (typed, expected) => {
    const { line, modes, written } = ask(...typed);
    expect(await line).toBe(expected);
    expect(written()).toBe("password: \n");
    expect(modes).toEqual([true, false]);
  });

  it("Ctrl+C ends the program as it always does", async () => {
    const { line, modes, canceled } = ask("sec\u0003");
    await expect(line).rejects.toThrow("Canceled.");
    expect([canceled(), modes]).toEqual([true, [true, false]]);
  });
});
