interface DeriveBytesInput {
  /** A secret with enough randomness: never a password. */
  readonly secret: Uint8Array<ArrayBuffer>;
  /** Default: empty. */
  readonly salt?: Uint8Array<ArrayBuffer>;
  /** What the bytes are for. Each purpose gets independent bytes. */
  readonly info: string;
  readonly length: number;
}

/** Derives bytes from a secret with HKDF-SHA-256 (RFC 5869). */
export async function deriveBytes(input: DeriveBytesInput): Promise<Uint8Array<ArrayBuffer>> {
  const { secret, salt = new Uint8Array(), info, length } = input;
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt, info: new TextEncoder().encode(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, length * 8));
}
