import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import type { JWK } from "jose";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { isEd25519PublicKey } from "./ed25519-point.js";
import { type Members, parseMembers } from "./members.js";

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
