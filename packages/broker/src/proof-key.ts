import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import type { JWK } from "jose";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";

/** A public key that tokens can be bound to. */
export interface ProofKey {
  readonly publicKey: KeyObject;
  /** The RFC 7638 thumbprint (SHA-256, base64url): the `cnf.jkt` of a token that is bound to the key. */
  readonly thumbprint: string;
}

const maxBytes = 2048;
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * Reads a public proof-of-possession key from the text of a JWK: P-256 or Ed25519. Returns undefined for anything else:
 * private or symmetric keys, points off the curve or of small order, members that appear twice, and coordinates that are
 * not the shortest base64url of their full width. Each key therefore has one thumbprint.
 *
 * @example
 * ```ts
 * import { readProofKey } from "@platform-rpc/broker";
 *
 * const publicJwk = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
 * const key = await readProofKey(JSON.stringify(publicJwk));
 * console.log(key?.thumbprint);
 * // kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
 * ```
 *
 * @see RFC 7638, RFC 7800, RFC 9449
 */
export async function readProofKey(jwk: string): Promise<ProofKey | undefined> {
  const members = Buffer.byteLength(jwk) > maxBytes ? undefined : parseMembers(jwk);
  if (members === undefined || countNames(jwk) !== Object.keys(members).length) return undefined;
  if (privateMembers.some((name) => Object.hasOwn(members, name))) return undefined;
  const key = readP256(members) ?? readEd25519(members);
  if (key === undefined) return undefined;
  return {
    publicKey: createPublicKey({ format: "jwk", key }),
    thumbprint: await calculateJwkThumbprint(key, "sha256"),
  };
}

/** Counts the names in valid JSON, at any depth: the strings before a colon. JSON.parse keeps only the last of each name. */
function countNames(json: string): number {
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/g)].filter(([, colon]) => colon === ":").length;
}

function readP256({ kty, crv, x, y }: Members): (JWK & JsonWebKey) | undefined {
  if (kty !== "EC" || crv !== "P-256" || typeof x !== "string" || typeof y !== "string") return undefined;
  const key = { kty, crv, x, y };
  // OpenSSL rejects a point that is not on the curve.
  const canonical = reencode(key);
  return canonical?.x === x && canonical.y === y ? key : undefined;
}

function readEd25519({ kty, crv, x }: Members): (JWK & JsonWebKey) | undefined {
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string") return undefined;
  const key = { kty, crv, x };
  return reencode(key)?.x === x && isEd25519PublicKey(Buffer.from(x, "base64url")) ? key : undefined;
}

/** Returns the key in its canonical encoding. */
function reencode(key: JsonWebKey): JsonWebKey | undefined {
  try {
    return createPublicKey({ format: "jwk", key }).export({ format: "jwk" });
  } catch {
    return undefined;
  }
}

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
function isEd25519PublicKey(encoded: Uint8Array): boolean {
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

/** The members of a JSON object, not checked yet. */
type Members = { readonly [name: string]: unknown };

/** Returns the members of a JSON object, or undefined when the text is not one. */
export function parseMembers(json: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
