const p = 2n ** 255n - 19n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/**
 * Whether 32 bytes are a point of edwards25519. Node imports any 32 bytes as an Ed25519 key, and about half of them are
 * none.
 *
 * @see RFC 8032 section 5.1.3
 */
export function isEd25519Point(encoded: Uint8Array): boolean {
  if (encoded.length !== 32) return false;
  const number = BigInt(`0x${Buffer.from(encoded).reverse().toString("hex")}`);
  const sign = number >> 255n;
  const y = number & (2n ** 255n - 1n);
  if (y >= p) return false;
  // x² = u/v, and v is never 0: u/v is a square where u·v is.
  const u = y * y - 1n;
  const v = d * y * y + 1n;
  const product = (((u * v) % p) + p) % p;
  return product === 0n ? sign === 0n : isSquare(product);
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
