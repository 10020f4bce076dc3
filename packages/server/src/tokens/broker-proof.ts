import { createPublicKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import { compactVerify, errors } from "jose";
import { normalizeTargetUri } from "./broker-target-uri.js";
import { createProofKeys } from "./proof-keys.js";

/** Why a proof is none. */
export type ProofFailure =
  | "PROOF_MISSING"
  | "PROOF_NOT_SINGLE"
  | "PROOF_MALFORMED"
  | "PROOF_TYPE"
  | "PROOF_ALGORITHM"
  | "PROOF_KEY"
  | "PROOF_SIGNATURE"
  | "PROOF_METHOD"
  | "PROOF_URL"
  | "PROOF_TIME"
  | "PROOF_TOKEN"
  | "PROOF_KEY_UNBOUND";

/** What a proof must be for. */
export interface ProofDemand {
  /** The DPoP header fields of the request. */
  readonly proofs: readonly string[];
  readonly method: string;
  /** The URL of the request, as its sender spelled it. */
  readonly url: string;
  readonly accessToken: string;
  /** The `cnf.jkt` of the token. */
  readonly thumbprint: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How far `iat` may lie from now, in milliseconds, either way. */
  readonly windowMs: number;
}

export type ProofResult =
  | { readonly ok: true; readonly jti: string; readonly issuedAt: number }
  | { readonly ok: false; readonly reason: ProofFailure };

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

type Members = { readonly [name: string]: unknown };

const algorithms = ["ES256", "Ed25519"];
const keyTypes: ReadonlyMap<unknown, string> = new Map([
  ["ES256", "EC"],
  ["Ed25519", "OKP"],
]);
/** A proof of ours has about 500 characters. */
const longestProof = 8192;

const fails = (reason: ProofFailure): ProofResult => ({ ok: false, reason });

/**
 * Checks a proof in the order of RFC 9449 section 4.3, all but whether it was used before. Never rejects because of what
 * the proof holds.
 */
export async function checkProof(demand: ProofDemand): Promise<ProofResult> {
  // A list field that came twice is joined by commas, and no proof holds one.
  const [proof, ...others] = demand.proofs.flatMap((field) => field.split(","));
  if (proof === undefined) return fails("PROOF_MISSING");
  if (others.length > 0) return fails("PROOF_NOT_SINGLE");

  const parsed = parseProof(proof.trim());
  if (parsed === undefined) return fails("PROOF_MALFORMED");
  const { typ, alg, jwk, jti, htm, htu, iat, ath } = parsed;
  if (typ !== "dpop+jwt") return fails("PROOF_TYPE");
  const kty = keyTypes.get(alg);
  if (kty === undefined) return fails("PROOF_ALGORITHM");

  const key = await readKey(jwk, kty);
  if (key === undefined) return fails("PROOF_KEY");
  if (!(await isSigned(proof.trim(), key.publicKey))) return fails("PROOF_SIGNATURE");

  if (htm !== demand.method) return fails("PROOF_METHOD");
  const target = normalizeTargetUri(demand.url);
  if (target === undefined || normalizeTargetUri(htu) !== target) return fails("PROOF_URL");
  if (Math.abs(demand.now - iat * 1000) > demand.windowMs) return fails("PROOF_TIME");
  if (!equalText(ath, hash("sha256", demand.accessToken, "base64url"))) return fails("PROOF_TOKEN");
  if (!equalText(key.thumbprint, demand.thumbprint)) return fails("PROOF_KEY_UNBOUND");
  return { ok: true, jti, issuedAt: iat * 1000 };
}

/** A JWT with the claims that every proof has, or undefined. */
function parseProof(proof: string): ParsedProof | undefined {
  const [encodedHeader = "", encodedClaims = "", signature, ...rest] = proof.split(".");
  if (proof.length > longestProof || signature === undefined || rest.length > 0) return undefined;
  const header = parseMembers(encodedHeader);
  const claims = parseMembers(encodedClaims);
  // No extension is understood here, and one that is critical changes what the signature means.
  if (header === undefined || claims === undefined || Object.hasOwn(header, "crit")) return undefined;
  const { typ, alg, jwk } = header;
  const { jti, htm, htu, iat, ath } = claims;
  if (typeof jti !== "string" || jti === "" || typeof htm !== "string" || typeof htu !== "string") return undefined;
  if (typeof iat !== "number" || !Number.isFinite(iat)) return undefined;
  return { typ, alg, jwk, jti, htm, htu, iat, ath };
}

function parseMembers(encoded: string): Members | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const proofKeys = createProofKeys();

/** The key that the proof names: public, whole, and of the type that the algorithm needs. */
async function readKey(jwk: unknown, type: string): Promise<{ publicKey: KeyObject; thumbprint: string } | undefined> {
  if (typeof jwk !== "object" || jwk === null) return undefined;
  const members: Members = { ...jwk };
  const { kty } = members;
  const thumbprint = kty === type ? await proofKeys.thumbprint(JSON.stringify(members)) : undefined;
  return thumbprint === undefined
    ? undefined
    : { publicKey: createPublicKey({ format: "jwk", key: members }), thumbprint };
}

async function isSigned(proof: string, key: KeyObject): Promise<boolean> {
  try {
    await compactVerify(proof, key, { algorithms });
    return true;
  } catch (error) {
    // What a proof holds can only make jose throw errors of its own; anything else is a fault here, not in the proof.
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

/** Takes the same time wherever the texts differ. */
function equalText(found: unknown, expected: string): boolean {
  if (typeof found !== "string") return false;
  const [a, b] = [Buffer.from(found), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
