import { ProgramError } from "@platform-rpc/signed-in";

/**
 * Decodes the text of a pipe or a file: UTF-8, or UTF-16 with a byte order mark. The mark is no part of the text.
 *
 * @param what names the text in the error, which contains no part of it
 * @throws ProgramError if the bytes are something else. Decoded anyway, a password would be stored with other characters.
 */
export function decodeText(bytes: Uint8Array, what: string): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    // A text of UTF-16 that was decoded and contains NUL is UTF-32.
    if (encoding === "utf-8" ? !isUnmarkedUtf16(bytes) : !text.includes("\0")) return text;
  } catch {
    // The error of the decoder does not name the text.
  }
  throw new ProgramError(
    `${what} is not UTF-8, and not UTF-16 with a byte order mark. Convert it first, for example with: iconv -f latin1 -t utf-8`,
    "usage",
  );
}

/** Most characters of a text in UTF-16 have a byte that is NUL, always the first or always the second one. */
function isUnmarkedUtf16(bytes: Uint8Array): boolean {
  const zeros = [0, 0];
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  return bytes.length % 2 === 0 && Math.min(...zeros) === 0 && Math.max(...zeros) > bytes.length / 4;
}
