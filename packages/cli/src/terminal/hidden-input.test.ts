import { PassThrough } from "node:stream";
import { ReadStream } from "node:tty";
import { describe, expect, it } from "vitest";
import { readHiddenLine } from "./hidden-input.js";

/** Asks on a terminal where somebody types, and where more follows the first line a moment later. */
function ask(typed: readonly string[], later: readonly string[] = []) {
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
  const parts = [...later];
  const line = readHiddenLine(input, "password: ", {
    write: (text) => {
      written += text;
    },
    cancel: () => {
      canceled = true;
    },
    sleep: async () => {
      const part = parts.shift();
      if (part !== undefined) keys.write(part);
    },
  });
  for (const text of typed) keys.write(text);
  return { line, modes, written: () => written, canceled: () => canceled, left: () => parts };
}

describe("a hidden answer", () => {
  it.each([
    [["secret\r"], "secret"],
    [["sec", "ret", "\n"], "secret"],
    [["secrex\u007ft\r"], "secret"],
    [["wrong\u0015secret\r"], "secret"],
    [["grüße 👪\r"], "grüße 👪"],
    [["a\tb\r\n"], "a\tb"],
  ])("%j is %j, and is not shown", async (typed, expected) => {
    const { line, modes, written } = ask(typed);
    expect(await line).toBe(expected);
    expect(written()).toBe("password: \n");
    expect(modes).toEqual([true, false]);
  });

  it.each([
    [["-----BEGIN KEY-----\rAAAA\r-----END KEY-----\r"], []],
    [["one\n\n"], []],
    [["one\r"], ["two\r", "three\r"]],
    [["one\u001b[D\r"], []],
    [["one\ufffd\r"], []],
  ])("%j, and then %j, is refused, and read to its end", async (typed, later) => {
    const { line, modes, left } = ask(typed, later);
    await expect(line).rejects.toThrow("The answer is not one line of text");
    expect([left(), modes]).toEqual([[], [true, false]]);
  });

  it("Ctrl+C ends the program as it always does", async () => {
    const { line, modes, canceled } = ask(["sec\u0003"]);
    await expect(line).rejects.toThrow("Canceled.");
    expect([canceled(), modes]).toEqual([true, [true, false]]);
  });
});
