const p = 2n ** 255n - 19n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** The `y` of two of the four points of order 8; the other two have `p - y`. */
const yOfOrder8 = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;

/**
 * The `y` of the eight points whose order divides 8. They have no private key, yet anyone can create signatures that verify with
 * them, some for every message.
 */
const smallOrder = new Set([0n, 1n, p - 1n, yOfOrder8, p - yOfOrder8]);

/**
 * Returns whether 32 bytes are a public key of Ed25519: a point of edwards25519 in its canonical encoding, and not of small
 * order. Node imports any 32 bytes, and about half of them are not a point.
 *
 * @see RFC 8032 section 5.1.3, RFC 8725 section 3.4
 */
export function isEd25519PublicKey(encoded: Uint8Array): boolean {
  if (encoded.length !== 32) return false;
  const number = BigInt(`0x${Buffer.from(encoded).reverse().toString("hex")}`);
  const y = number & (2n ** 255n - 1n);
  if (y >= p || smallOrder.has(y)) return false;
  // x² = u/v, and v is never 0: u/v is a square where u·v is. Only points of small order have x = 0.
  const u = y * y - 1n;
  const v = d * y * y + 1n;
  return isSquare((((u * v) % p) + p) % p);
}

/** Euler's criterion. */
function isSquare(value: bigint): boolean {
  let result = 1n;
  let base = value;
  for (let exponent = (p - 1n) / 2n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = (result * base) % p;
    base = (base * base) % p;
  }
  return result === 1n;
}
