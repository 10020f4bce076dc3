/** How the characters of a table are written, if it has no byte order mark and is not UTF-16. */
export type Encoding = "utf-8" | "windows-1252";

/** Stands for invalid bytes. It is a code point that no program writes. */
export const badBytes = "\uFFFF";

interface DecodedText {
  /** With `badBytes` where bytes are invalid. */
  readonly text: string;
  /** Undefined for UTF-16: it is never another encoding. */
  readonly encoding: Encoding | undefined;
}

/**
 * Decodes UTF-8 or UTF-16 in both byte orders, with or without a byte order mark.
 *
 * @param encoding what the person chose for a file that is neither
 */
export function decodeText(bytes: Uint8Array, encoding: Encoding = "utf-8"): DecodedText {
  const utf16 = utf16Of(bytes);
  const decoderOf = (fatal: boolean) => new TextDecoder(utf16 ?? encoding, { fatal, ignoreBOM: true });
  const strict = decoderOf(true);
  const whole = decode(strict, bytes) ?? decodeLines(bytes, strict, decoderOf(false));
  return { text: whole.replace(/^\uFEFF+|\0+$/g, ""), encoding: utf16 === undefined ? encoding : undefined };
}

/** Programs of Windows write UTF-16. Without a mark, every other byte of it is 0 where the text is ASCII. */
function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const start = [...bytes.subarray(0, 2_000)];
  const [even, odd] = [0, 1].map((half) => start.filter((byte, index) => byte === 0 && index % 2 === half).length);
  if (even === undefined || odd === undefined || Math.max(even, odd) < start.length / 10) return undefined;
  if (odd > 10 * even) return "utf-16le";
  return even > 10 * odd ? "utf-16be" : undefined;
}

/** Decodes bytes line by line: a character that the file itself lost stays what it is in all other lines. */
function decodeLines(bytes: Uint8Array, strict: TextDecoder, generous: TextDecoder): string {
  const lines: string[] = [];
  // In UTF-16, a line end has two bytes.
  const find = (at: number) => (strict.encoding === "utf-8" ? bytes.indexOf(0x0a, at) + 1 : 0) || bytes.length;
  for (let at = 0, end = find(0); at < bytes.length; at = end, end = find(at)) {
    const line = bytes.subarray(at, end);
    lines.push(decode(strict, line) ?? generous.decode(line).replaceAll("\uFFFD", badBytes));
  }
  return lines.join("");
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns whether bytes are a text at all. A picture, an archive or a database has control characters everywhere. */
export function isText(bytes: Uint8Array): boolean {
  const { text } = decodeText(bytes.subarray(0, 4_096));
  const controls = [...text].filter((character) => character < " " && !"\t\r\n".includes(character)).length;
  return controls <= 2 + text.length / 20;
}
