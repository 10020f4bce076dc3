import { createHash, type KeyObject, timingSafeEqual } from "node:crypto";
import * as errors from "jose/errors";
import { compactVerify } from "jose/jws/compact/verify";
import { BrokerTokenError, type BrokerTokenReason } from "./broker-token-error.js";
import { parseMembers } from "./members.js";
import { readProofKey } from "./proof-key.js";
import { normalizeTargetUri } from "./target-uri.js";

/** The values that a proof must match. */
export interface ExpectedProof {
  /** The DPoP header fields of the request. */
  readonly proofs: readonly string[];
  readonly method: string;
  /** The absolute URL of the request, as its sender wrote it. */
  readonly url: string;
  readonly accessToken: string;
  /** The `cnf.jkt` of the token. */
  readonly thumbprint: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How far `iat` may be from now, in milliseconds, either way. */
  readonly windowMs: number;
}

export interface CheckedProof {
  readonly jti: string;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
}

interface ParsedProof {
  readonly typ: unknown;
  readonly alg: unknown;
  readonly jwk: unknown;
  readonly jti: string;
  readonly htm: string;
  readonly htu: string;
  readonly iat: number;
  readonly ath: unknown;
}

const keyTypes: ReadonlyMap<unknown, string> = new Map([
  ["ES256", "EC"],
  ["Ed25519", "OKP"],
]);
/** Proofs of the platform's client have about 500 characters. */
const maxProofLength = 8192;

/** Returns the SHA-256 of a text, in base64url. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/**
 * Checks a proof in the order of RFC 9449 section 4.3, except whether it was used before. Rejects with a
 * `BrokerTokenError`.
 */
export async function checkProof(expected: ExpectedProof): Promise<CheckedProof> {
  // A header that was sent twice is joined by commas, and a proof contains no comma.
  const [field, ...others] = expected.proofs.flatMap((fields) => fields.split(","));
  if (field === undefined) throw rejection("PROOF_MISSING");
  if (others.length > 0) throw rejection("PROOF_NOT_SINGLE");

  const proof = field.trim();
  const parsed = parseProof(proof);
  if (parsed === undefined) throw rejection("PROOF_MALFORMED");
  const { typ, alg, jwk, jti, htm, htu, iat, ath } = parsed;
  if (typ !== "dpop+jwt") throw rejection("PROOF_TYPE");
  const kty = keyTypes.get(alg);
  if (kty === undefined) throw rejection("PROOF_ALGORITHM");

  const key = await readKey(jwk, kty);
  if (key === undefined) throw rejection("PROOF_KEY");
  await checkSignature(proof, key.publicKey);

  if (htm !== expected.method) throw rejection("PROOF_METHOD");
  const target = normalizeTargetUri(expected.url);
  if (target === undefined || normalizeTargetUri(htu) !== target) throw rejection("PROOF_URL");
  if (Math.abs(expected.now - iat * 1000) > expected.windowMs) throw rejection("PROOF_TIME");
  if (!equalText(ath, sha256(expected.accessToken))) throw rejection("PROOF_TOKEN");
  if (!equalText(key.thumbprint, expected.thumbprint)) throw rejection("PROOF_KEY_MISMATCH");
  return { jti, issuedAt: iat * 1000 };
}

function rejection(reason: BrokerTokenReason, cause?: unknown): BrokerTokenError {
  return new BrokerTokenError(reason, { scheme: "DPoP", cause });
}

/** Returns a JWT with the claims that every proof has, or undefined. */
function parseProof(proof: string): ParsedProof | undefined {
  const [encodedHeader = "", encodedClaims = "", signature, ...rest] = proof.split(".");
  if (proof.length > maxProofLength || signature === undefined || rest.length > 0) return undefined;
  const header = decodeMembers(encodedHeader);
  const claims = decodeMembers(encodedClaims);
  // No critical header extension is supported (RFC 7515 section 4.1.11).
  if (header === undefined || claims === undefined || Object.hasOwn(header, "crit")) return undefined;
  const { typ, alg, jwk } = header;
  const { jti, htm, htu, iat, ath } = claims;
  if (typeof jti !== "string" || jti === "" || typeof htm !== "string" || typeof htu !== "string") return undefined;
  if (typeof iat !== "number" || !Number.isFinite(iat)) return undefined;
  return { typ, alg, jwk, jti, htm, htu, iat, ath };
}

function decodeMembers(encoded: string) {
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) return undefined;
  return parseMembers(Buffer.from(encoded, "base64url").toString("utf8"));
}

/** Returns the key in the header of the proof, if its type matches the algorithm. */
async function readKey(jwk: unknown, type: string) {
  if (typeof jwk !== "object" || jwk === null) return undefined;
  const { kty }: { kty?: unknown } = jwk;
  return kty === type ? readProofKey(JSON.stringify(jwk)) : undefined;
}

async function checkSignature(proof: string, key: KeyObject): Promise<void> {
  try {
    await compactVerify(proof, key, { algorithms: [...keyTypes.keys()].map(String) });
  } catch (error) {
    // An invalid proof makes jose throw a JOSEError. Anything else is a bug.
    throw error instanceof errors.JOSEError ? rejection("PROOF_SIGNATURE", error) : error;
  }
}

/** Compares texts of equal length in constant time. */
function equalText(found: unknown, expected: string): boolean {
  if (typeof found !== "string") return false;
  const [a, b] = [Buffer.from(found), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
