import type { TrustedWriter, WebCryptoKey } from "@platform-rpc/client/crypto";
import { decodeBase64url, encodeBase64url } from "../base64url.js";
import { statement } from "./statement.js";

/** Whose program it is. */
export interface CertificatePlace {
  readonly tenantId: string;
  readonly accountId: string;
}

/** The signing key of a program, signed by the person. Both are base64url. */
export interface Certificate {
  /** 32 bytes: Ed25519. */
  readonly signingKey: string;
  readonly signature: string;
}

const ed25519 = { name: "Ed25519" };

/** Certifies the signing key of a program: what it signs counts as written by the person. */
export async function certify(
  signingKey: string,
  { tenantId, accountId }: CertificatePlace,
  personKey: WebCryptoKey,
): Promise<Certificate> {
  const signed = statement("certificate", tenantId, accountId, signingKey);
  const signature = new Uint8Array(await crypto.subtle.sign(ed25519, personKey, signed));
  return { signingKey, signature: encodeBase64url(signature) };
}

/**
 * Returns the program as a writer of items. Undefined if the person has not certified it.
 *
 * @param personKey the person's verification key: never one that was taken on the word of a server
 */
export async function certifiedWriter(
  { signingKey, signature }: Certificate,
  { tenantId, accountId }: CertificatePlace,
  personKey: WebCryptoKey,
): Promise<TrustedWriter | undefined> {
  try {
    const signed = statement("certificate", tenantId, accountId, signingKey);
    if (!(await crypto.subtle.verify(ed25519, personKey, decodeBase64url(signature), signed))) return undefined;
    return { writerId: await writerIdOf(signingKey), publicKey: await importVerificationKey(signingKey) };
  } catch {
    return undefined;
  }
}

/** Returns the id with which a program signs: it depends on the key alone, so that a reader finds the key of an item at once. */
export async function writerIdOf(signingKey: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", statement("writer", signingKey));
  return `program:${encodeBase64url(new Uint8Array(digest))}`;
}

/** Imports a key that verifies: 32 bytes in base64url. Rejects if it is none. */
export async function importVerificationKey(key: string): Promise<WebCryptoKey> {
  return crypto.subtle.importKey("raw", decodeBase64url(key), ed25519, true, ["verify"]);
}
