import { statement } from "./statement.js";

/** A program that asks for the keys of vaults. Keys are base64url. */
export interface UnlockRequest {
  readonly tenantId: string;
  readonly accountId: string;
  /** The program chooses it: random. */
  readonly unlockId: string;
  /** An ECDH key (P-256) that is used once: an uncompressed point. */
  readonly encryptionKey: string;
  /** The Ed25519 key with which the program signs items. */
  readonly signingKey: string;
}

/** Crockford's alphabet: without I, L, O and U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const length = 16;

/**
 * Returns the 16 characters by which a person compares what the program has sent with what their browser has got: 80 bits of SHA-256.
 * Somebody in between who exchanges a key has to find another one with the same 80 bits before the request expires.
 */
export function unlockCode(request: UnlockRequest): Promise<string> {
  return codeOf("request", request);
}

/**
 * Returns the 16 characters with which a program that meets a person's key for the first time checks that it is theirs: the person types
 * them there. They depend on the request as well, so that nobody can search for another key with the same 80 bits before the request.
 *
 * @param personKey the person's Ed25519 key, base64url
 */
export function personCode(request: UnlockRequest, personKey: string): Promise<string> {
  return codeOf("person", request, personKey);
}

async function codeOf(label: string, request: UnlockRequest, ...values: readonly string[]): Promise<string> {
  const { tenantId, accountId, unlockId, encryptionKey, signingKey } = request;
  const bytes = statement(label, tenantId, accountId, unlockId, encryptionKey, signingKey, ...values);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  let bits = 0n;
  for (const byte of digest.slice(0, (length * 5) / 8)) bits = (bits << 8n) | BigInt(byte);
  const digits = Array.from({ length }, (_, index) => alphabet[Number((bits >> BigInt(75 - index * 5)) & 31n)]);
  return digits.join("").replaceAll(/.{4}(?=.)/g, "$&-");
}

/** Returns whether a person has typed a code: without regard to case, groups and look-alikes, as Crockford's base32 is read. */
export function isUnlockCode(code: string, typed: string): boolean {
  return readable(typed) === readable(code);
}

/** Returns whether a text can be a code: 16 of its characters. */
export function canBeUnlockCode(typed: string): boolean {
  const characters = readable(typed);
  return characters.length === length && [...characters].every((character) => alphabet.includes(character));
}

function readable(text: string): string {
  return text.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
}
