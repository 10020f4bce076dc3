import { createHash, type KeyObject, timingSafeEqual } from "node:crypto";
import * as errors from "jose/errors";
import { compactVerify } from "jose/jws/compact/verify";
import { BrokerTokenError, type BrokerTokenReason } from "./broker-token-error.js";
import { parseMembers, readProofKey } from "./proof-key.js";

/** A request that a proof was made for. */
export interface ProofRequest {
  /** The DPoP header fields of the request. A header that was sent more than once: all of them, as a list or joined by commas. */
  readonly proofs: readonly string[];
  /** The method as it was sent. */
  readonly method: string;
  /** The absolute URL that the sender requested. Behind a proxy this is the public URL. Do not build it from the Host header. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How far `iat` may be from now, in milliseconds, either way. */
  readonly windowMs: number;
}

/** The values that the proof of a request with a token must match. */
export interface ExpectedProof extends ProofRequest {
  readonly accessToken: string;
  /** The `cnf.jkt` of the token. */
  readonly thumbprint: string;
}

/** A valid proof. */
export interface VerifiedProof {
  /** The RFC 7638 thumbprint of the key that signed the proof. */
  readonly thumbprint: string;
  /** Identifies the proof among those of its key, as `proofId` of a `UsedProof`. A hash that reveals nothing about the proof. */
  readonly proofId: string;
  /** When the proof was made, in milliseconds since the epoch. */
  readonly issuedAt: number;
  /** The nonce in the proof; undefined without one. Not checked: only its issuer can. */
  readonly nonce: string | undefined;
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
  readonly nonce: unknown;
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
 * Verifies the DPoP proof of a request without an access token, such as a token request, in the order of RFC 9449 section 4.3.
 *
 * It does not check the nonce, and not whether the proof was used before. Check the nonce first, then record the proof in a
 * `ReplayCache`, so that only holders of a key with a current nonce can fill it.
 *
 * @example
 * ```ts
 * import { isBrokerTokenError, verifyProof } from "@platform-rpc/broker";
 *
 * const request = { method: "POST", url: "https://id.example/token", now: clock.now(), windowMs: 60_000 };
 * const error = await verifyProof({ ...request, proofs: ["not a proof"] }).catch((error: unknown) => error);
 * console.log(isBrokerTokenError(error, "PROOF_MALFORMED"));
 * // true
 * ```
 *
 * @throws BrokerTokenError (as a rejection) with a reason that begins with `PROOF_`.
 */
export async function verifyProof(request: ProofRequest): Promise<VerifiedProof> {
  const { ath: _, ...verified } = await checkRequestProof(request);
  return verified;
}

/** Checks the proof of a request with a token, except whether it was used before. @throws BrokerTokenError */
export async function checkProof(expected: ExpectedProof): Promise<VerifiedProof> {
  const { ath, ...verified } = await checkRequestProof(expected);
  if (!equalText(ath, sha256(expected.accessToken))) throw rejection("PROOF_TOKEN");
  if (!equalText(verified.thumbprint, expected.thumbprint)) throw rejection("PROOF_KEY_MISMATCH");
  return verified;
}

async function checkRequestProof(expected: ProofRequest): Promise<VerifiedProof & { readonly ath: unknown }> {
  // A header that was sent twice is joined by commas, and a proof contains no comma.
  const [field, ...others] = expected.proofs.flatMap((fields) => fields.split(","));
  if (field === undefined) throw rejection("PROOF_MISSING");
  if (others.length > 0) throw rejection("PROOF_NOT_SINGLE");

  const proof = field.trim();
  const parsed = parseProof(proof);
  if (parsed === undefined) throw rejection("PROOF_MALFORMED");
  const { typ, alg, jwk, jti, htm, htu, iat, ath, nonce } = parsed;
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
  const { thumbprint } = key;
  return {
    thumbprint,
    proofId: sha256(`${thumbprint}.${jti}`),
    issuedAt: iat * 1000,
    nonce: typeof nonce === "string" ? nonce : undefined,
    ath,
  };
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
  const { jti, htm, htu, iat, ath, nonce } = claims;
  if (typeof jti !== "string" || jti === "" || typeof htm !== "string" || typeof htu !== "string") return undefined;
  if (typeof iat !== "number" || !Number.isFinite(iat)) return undefined;
  return { typ, alg, jwk, jti, htm, htu, iat, ath, nonce };
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

/**
 * The characters of a URI with an authority and no query (RFC 3986), and two that WHATWG parsers leave in a path. These parsers accept other
 * characters and silently correct them.
 */
const uri = /^https?:\/\/(?:[A-Za-z0-9\-._~:/[\]@!$&'()*+,;=|^]|%[0-9A-Fa-f]{2})+$/i;

/**
 * Normalizes an HTTP target URI so that equivalent spellings are equal: scheme and host in lower case, no default port, no dot
 * segments, unnecessary percent-encodings decoded and the others in upper case, no query and no fragment. Returns undefined when
 * the text is not an absolute http or https URI, or contains a user.
 *
 * @see RFC 9449 section 4.3, RFC 3986 sections 6.2.2 and 6.2.3
 */
export function normalizeTargetUri(text: string): string | undefined {
  // What is compared does not contain them, so they may have any characters.
  const [target = ""] = text.split(/[?#]/, 1);
  if (!uri.test(target) || !URL.canParse(target)) return undefined;
  const { origin, pathname, username, password } = new URL(target);
  if (username !== "" || password !== "") return undefined;
  const encoded = pathname.replaceAll(/[|^]/g, encodeURIComponent);
  return `${origin}${encoded.replaceAll(/%[0-9A-Fa-f]{2}/g, normalizeEncoding)}`;
}

function normalizeEncoding(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded.toUpperCase();
}
