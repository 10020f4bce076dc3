/** What one-time codes are computed from: a field of the type `totp`. */
export interface OneTimeSecret {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly hash: "SHA-1" | "SHA-256" | "SHA-512";
  /** How many digits a code has: 6 to 8, or 5 characters of Steam. */
  readonly digits: number;
  /** Whether codes are those of Steam, of letters and digits. */
  readonly isSteam?: true;
  /** For how many seconds a code is shown. */
  readonly period: number;
}

const hashes = { SHA1: "SHA-1", SHA256: "SHA-256", SHA512: "SHA-512" } as const;

/**
 * Parses the URI of a QR code (`otpauth://totp/…`), or a secret in base32 as pages show it: in any case, with spaces or hyphens. Other
 * programs mark the secrets of Steam with `steam://`, `encoder=steam`, or the issuer `Steam`. Returns undefined for other text, and for codes
 * that depend on a counter.
 *
 * @see https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function parseOneTimeSecret(text: string): OneTimeSecret | undefined {
  const trimmed = text.trim();
  const [, steamSecret] = /^steam:\/\/(.*)$/i.exec(trimmed) ?? [];
  if (steamSecret !== undefined) return secretFrom({ secret: steamSecret, encoder: "steam" });
  if (!/^otpauth:/i.test(trimmed)) return secretFrom({ secret: trimmed });
  // Not `new URL`: browsers disagree on the host of a scheme that they do not know.
  const [, label = "", query] = /^otpauth:\/\/totp\/?([^?#]*)\?([^#]*)/i.exec(trimmed) ?? [];
  if (query === undefined) return undefined;
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const { issuer = label.split(/:|%3a/i)[0] ?? "" } = parameters;
  return secretFrom(/^steam$/i.test(issuer) ? { ...parameters, encoder: "steam" } : parameters);
}

function secretFrom(parameters: Readonly<Record<string, string>>): OneTimeSecret | undefined {
  const { secret = "", algorithm = "SHA1", digits = "6", period = "30", encoder = "" } = parameters;
  const key = decodeBase32(secret);
  const hash = Object.entries(hashes).find(([name]) => name === algorithm.toUpperCase().replace("-", ""))?.[1];
  const isSteam = encoder.toLowerCase() === "steam";
  const isLength = isSteam || /^[678]$/.test(digits);
  if (key === undefined || hash === undefined || !isLength || !/^[1-9]\d{0,3}$/.test(period)) {
    return undefined;
  }
  const common = { key, hash, period: Number(period) };
  return isSteam ? { ...common, digits: 5, isSteam } : { ...common, digits: Number(digits) };
}

/** Returns the code of a moment, in milliseconds since 1970 (RFC 6238). */
export function codeAt(secret: OneTimeSecret, timeMs: number): Promise<string> {
  return codeOf(secret, Math.floor(timeMs / 1000 / secret.period));
}

/** Returns for how many seconds the code of a moment is still shown: from the period down to 1. */
export function secondsLeft({ period }: OneTimeSecret, timeMs: number): number {
  return period - (Math.floor(timeMs / 1000) % period);
}

const steamCharacters = "23456789BCDFGHJKMNPQRTVWXY";

/** Returns the code of a counter (RFC 4226). Steam has other characters for its digits, and the lowest one comes first. */
export async function codeOf({ key, hash, digits, isSteam }: OneTimeSecret, counter: number): Promise<string> {
  const hmac = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash }, false, ["sign"]);
  const message = new DataView(new ArrayBuffer(8));
  message.setBigUint64(0, BigInt(counter));
  const mac = new DataView(await crypto.subtle.sign("HMAC", hmac, message));
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf;
  const number = mac.getUint32(offset) & 0x7f_ff_ff_ff;
  if (isSteam) {
    const base = steamCharacters.length;
    return Array.from({ length: digits }, (_, place) =>
      steamCharacters.charAt(Math.floor(number / base ** place) % base),
    ).join("");
  }
  return String(number % 10 ** digits).padStart(digits, "0");
}

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Decodes base32 (RFC 4648 section 6), with or without padding. Ignores the bits that do not fill a byte, as other programs do. */
function decodeBase32(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.replaceAll(/[\s-]/g, "").replace(/=+$/, "").toUpperCase();
  const bytes: number[] = [];
  let [bits, count] = [0, 0];
  for (const digit of digits) {
    const value = base32.indexOf(digit);
    if (value === -1) return undefined;
    bits = (bits << 5) | value;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push(bits >> count);
    bits &= (1 << count) - 1;
  }
  return bytes.length > 0 ? Uint8Array.from(bytes) : undefined;
}
