/** Crockford's base32: without I, L, O and U, which are easily mistaken for others. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const symbols = 28;
const bytes = 16;
const checksumBits = 12;

export type ParsedRecoveryCode =
  | { readonly ok: true; readonly code: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly message: string };

/** Generates the 128 random bits of a recovery code. */
export function generateRecoveryCode(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(bytes));
}

/**
 * Prints a recovery code: 128 bits and a checksum of 12 bits in Crockford's base32, as 7 groups of 4.
 *
 * @see https://www.crockford.com/base32.html
 */
export function printRecoveryCode(code: Uint8Array): string {
  let rest = (numberOf(code) << BigInt(checksumBits)) | BigInt(checksum(code));
  let text = "";
  for (let index = 0; index < symbols; index += 1) {
    text = alphabet.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return text.replaceAll(/.{4}(?=.)/g, "$&-");
}

/**
 * Parses a recovery code as a person typed it: case, spaces and hyphens do not matter, O is 0, and I and L are 1. The checksum
 * detects each single wrong character, and each pair of swapped neighbors.
 */
export function parseRecoveryCode(text: string): ParsedRecoveryCode {
  const typed = symbolsOf(text);
  const values = Array.from(typed, (symbol) => alphabet.indexOf(symbol));
  if (values.includes(-1)) return failed("A recovery code contains only digits and letters, and no U. Check the code.");
  if (values.length !== symbols) {
    return failed(`A recovery code has ${symbols} digits and letters. You entered ${values.length}. Check the code.`);
  }
  const all = values.reduce((number, value) => (number << 5n) | BigInt(value), 0n);
  const code = bytesOf(all >> BigInt(checksumBits));
  if (BigInt(checksum(code)) !== (all & 0xfffn)) {
    return failed("At least one character of the recovery code is wrong. Compare it with your printed code.");
  }
  return { ok: true, code };
}

/** Returns why what a person typed is not the last group of a printed code, as a sentence for them. Undefined: it is. */
export function lastGroupProblem(printed: string, typed: string): string | undefined {
  if (symbolsOf(typed) === printed.slice(-4)) return undefined;
  return "This is not the last group. Look at what you stored, and type its last 4 characters.";
}

function symbolsOf(typed: string): string {
  return typed
    .toUpperCase()
    .replaceAll(/[\s\p{Dash_Punctuation}]/gu, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
}

function failed(message: string): ParsedRecoveryCode {
  return { ok: false, message };
}

/** Computes the CRC-12 (x^12 + x^11 + x^3 + x^2 + x + 1): it detects every error of up to 12 neighboring bits. */
function checksum(code: Uint8Array): number {
  let crc = 0xfff;
  for (const byte of code) {
    crc ^= byte << 4;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x800 ? 0x80f : 0)) & 0xfff;
  }
  return crc;
}

function numberOf(code: Uint8Array): bigint {
  return code.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

function bytesOf(number: bigint): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: bytes }, (_, index) => Number((number >> BigInt(8 * (bytes - 1 - index))) & 0xffn));
}
