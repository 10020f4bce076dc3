import { createPublicKey, type JsonWebKey } from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";
import type { ProofKeys } from "../ports/tokens.js";
import { isEd25519PublicKey } from "./ed25519-point.js";

const mostBytes = 2048;
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * Reads the proof-of-possession keys that callers name. A key has one thumbprint: a coordinate that is not the shortest
 * base64url of its full width, or a member that is there twice, is refused.
 *
 * @see RFC 7638, RFC 7800, RFC 9449
 */
export function createProofKeys(): ProofKeys {
  return {
    async thumbprint(jwk) {
      const members = Buffer.byteLength(jwk) > mostBytes ? undefined : parseMembers(jwk);
      if (members === undefined || privateMembers.some((name) => Object.hasOwn(members, name))) return undefined;
      const key = readP256(members) ?? readEd25519(members);
      return key === undefined ? undefined : calculateJwkThumbprint(key, "sha256");
    },
  };
}

type Members = { readonly [name: string]: unknown };

/** The members of a JSON object that names each once. JSON.parse alone would keep the last of a name. */
function parseMembers(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const members: Members = { ...value };
    return countNames(text) === Object.keys(members).length ? members : undefined;
  } catch {
    return undefined;
  }
}

/** Names in valid JSON, at any depth: the strings that a colon follows. */
function countNames(json: string): number {
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/g)].filter(([, colon]) => colon === ":").length;
}

function readP256({ kty, crv, x, y }: Members): JWK | undefined {
  if (kty !== "EC" || crv !== "P-256" || typeof x !== "string" || typeof y !== "string") return undefined;
  const key = { kty, crv, x, y };
  // OpenSSL refuses a point that is not on the curve.
  const read = exportedAgain(key);
  return read?.x === x && read.y === y ? key : undefined;
}

function readEd25519({ kty, crv, x }: Members): JWK | undefined {
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string") return undefined;
  const key = { kty, crv, x };
  return exportedAgain(key)?.x === x && isEd25519PublicKey(Buffer.from(x, "base64url")) ? key : undefined;
}

/** The key in its one canonical spelling. */
function exportedAgain(key: JsonWebKey): JsonWebKey | undefined {
  try {
    return createPublicKey({ format: "jwk", key }).export({ format: "jwk" });
  } catch {
    return undefined;
  }
}
