import { encodeBase64url, utf8 } from "../crypto/bytes.js";
import { subtle, type WebCryptoKey } from "../crypto/web-crypto.js";
import type { PublicJwk } from "./jwk.js";

/** The JWS algorithm of a proof key. */
export type ProofAlgorithm = "ES256" | "Ed25519";

/** The request that a proof is for. A proof is valid for one request, for about a minute. */
export interface ProofRequest {
  /** The HTTP method of the request, exactly as sent, in capitals: "POST". */
  readonly htm: string;
  /** The URL of the request. The proof omits its query and fragment. */
  readonly htu: string;
  /** The broker token that the request sends: `session.brokerToken.accessToken.reveal()` of a device login. */
  readonly accessToken: string;
  /** The value of the receiver's last `DPoP-Nonce` header, if it sent one. */
  readonly nonce?: string;
}

/** The claims that differ for each proof. */
export interface ProofMoment {
  readonly jti: string;
  /** Seconds since the epoch. */
  readonly iat: number;
}

export interface ProofSigner {
  readonly alg: ProofAlgorithm;
  readonly publicJwk: PublicJwk;
  readonly privateKey: WebCryptoKey;
}

const signatures = { ES256: { name: "ECDSA", hash: "SHA-256" }, Ed25519: { name: "Ed25519" } };

/** Signs one proof (RFC 9449 section 4.2). */
export async function signProof(signer: ProofSigner, request: ProofRequest, moment: ProofMoment): Promise<string> {
  const { alg, publicJwk, privateKey } = signer;
  const { htm, htu, accessToken, nonce }: Partial<ProofRequest> = Object(request);
  if (typeof htm !== "string" || !/^[A-Z][A-Z-]*$/.test(htm))
    throw new TypeError("Cannot create the proof: htm must be the HTTP method in capitals, such as POST.");
  if (typeof accessToken !== "string" || !/^[!-~]+$/.test(accessToken))
    throw new TypeError(
      'Cannot create the proof: accessToken must be the token as a string, without "DPoP ". A SecretToken returns it by reveal().',
    );
  if (nonce !== undefined && typeof nonce !== "string")
    throw new TypeError("Cannot create the proof: nonce must be the value of the DPoP-Nonce header, as a string.");
  const header = { typ: "dpop+jwt", alg, jwk: publicJwk };
  const claims = {
    jti: moment.jti,
    htm,
    htu: withoutQuery(htu),
    iat: moment.iat,
    ath: await hash(accessToken),
    ...(nonce === undefined ? {} : { nonce }),
  };
  const input = `${encodeJson(header)}.${encodeJson(claims)}`;
  const signature = await subtle().sign(signatures[alg], privateKey, utf8(input));
  return `${input}.${encodeBase64url(new Uint8Array(signature))}`;
}

/** Removes the query and fragment, and credentials too. */
function withoutQuery(htu: unknown): string {
  const url = typeof htu === "string" && URL.canParse(htu) ? new URL(htu) : undefined;
  // The message does not contain the URL: its query may contain secrets.
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw new TypeError("Cannot create the proof: htu must be an absolute http or https URL.");
  return `${url.origin}${url.pathname}`;
}

async function hash(accessToken: string): Promise<string> {
  return encodeBase64url(new Uint8Array(await subtle().digest("SHA-256", utf8(accessToken))));
}

function encodeJson(value: object): string {
  return encodeBase64url(utf8(JSON.stringify(value)));
}
