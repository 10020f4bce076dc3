import { encodeBase64url } from "../crypto/base64url.js";
import { utf8 } from "../crypto/utf8.js";
import type { WebCryptoKey } from "../crypto/web-crypto.js";
import type { PublicJwk } from "./public-jwk.js";

/** The JWS algorithm of a proof key. */
export type ProofAlgorithm = "ES256" | "Ed25519";

/** The request that a proof is for. A proof is good for one request, within about a minute. */
export interface ProofRequest {
  /** The method of the request, as it is sent: "POST". */
  readonly htm: string;
  /** The URL of the request. Its query and fragment are left out of the proof. */
  readonly htu: string;
  /** The broker token that the request carries. */
  readonly accessToken: string;
  /** What the receiver's last `DPoP-Nonce` header held, if it sent one. */
  readonly nonce?: string;
}

/** What is different for each proof. */
export interface ProofMoment {
  readonly jti: string;
  /** Seconds since the epoch. */
  readonly iat: number;
}

/** What signs. */
export interface ProofSigner {
  readonly alg: ProofAlgorithm;
  readonly publicJwk: PublicJwk;
  readonly privateKey: WebCryptoKey;
}

const signatures = { ES256: { name: "ECDSA", hash: "SHA-256" }, Ed25519: { name: "Ed25519" } };

/** Signs one proof (RFC 9449 section 4.2). */
export async function signProof(signer: ProofSigner, request: ProofRequest, moment: ProofMoment): Promise<string> {
  const { alg, publicJwk, privateKey } = signer;
  const header = { typ: "dpop+jwt", alg, jwk: publicJwk };
  const claims = {
    jti: moment.jti,
    htm: request.htm,
    htu: withoutQuery(request.htu),
    iat: moment.iat,
    ath: await hash(request.accessToken),
    ...(request.nonce === undefined ? {} : { nonce: request.nonce }),
  };
  const input = `${encodeJson(header)}.${encodeJson(claims)}`;
  const signature = await crypto.subtle.sign(signatures[alg], privateKey, utf8(input));
  return `${input}.${encodeBase64url(new Uint8Array(signature))}`;
}

/** Neither is in the origin or the path: nor is a password. */
function withoutQuery(htu: string): string {
  const url = URL.canParse(htu) ? new URL(htu) : undefined;
  // The URL stays out of the message: a query can hold anything.
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw new TypeError("htu must be an absolute http or https URL");
  return `${url.origin}${url.pathname}`;
}

async function hash(accessToken: string): Promise<string> {
  return encodeBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(accessToken))));
}

function encodeJson(value: object): string {
  return encodeBase64url(utf8(JSON.stringify(value)));
}
