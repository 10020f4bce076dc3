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

/** The end of a certificate, signed by the person: it is final. */
export type Removal = Certificate;

const ed25519 = { name: "Ed25519" };

/** Certifies the signing key of a program: what it signs counts as written by the person. */
export function certify(signingKey: string, place: CertificatePlace, personKey: WebCryptoKey): Promise<Certificate> {
  return sign("certificate", signingKey, place, personKey);
}

/** Removes the certificate of a program for good: what it signs, or has signed before, does not count any more. */
export function signRemoval(signingKey: string, place: CertificatePlace, personKey: WebCryptoKey): Promise<Removal> {
  return sign("removal", signingKey, place, personKey);
}

/** Returns whether the person has removed the certificate of a program. */
export function isRemoval(removal: Removal, place: CertificatePlace, personKey: WebCryptoKey): Promise<boolean> {
  return verify("removal", removal, place, personKey).catch(() => false);
}

/**
 * Returns the program as a writer of items. Undefined if the person has not certified it.
 *
 * @param personKey the person's verification key: never one that was taken on the word of a server
 */
export async function certifiedWriter(
  certificate: Certificate,
  place: CertificatePlace,
  personKey: WebCryptoKey,
): Promise<TrustedWriter | undefined> {
  try {
    const { signingKey } = certificate;
    if (!(await verify("certificate", certificate, place, personKey))) return undefined;
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

type Label = "certificate" | "removal";

async function sign(label: Label, signingKey: string, place: CertificatePlace, personKey: WebCryptoKey) {
  const signature = await crypto.subtle.sign(ed25519, personKey, signedBytes(label, signingKey, place));
  return { signingKey, signature: encodeBase64url(new Uint8Array(signature)) };
}

async function verify(
  label: Label,
  { signingKey, signature }: Certificate,
  place: CertificatePlace,
  personKey: WebCryptoKey,
): Promise<boolean> {
  return crypto.subtle.verify(ed25519, personKey, decodeBase64url(signature), signedBytes(label, signingKey, place));
}

function signedBytes(label: Label, signingKey: string, { tenantId, accountId }: CertificatePlace) {
  return statement(label, tenantId, accountId, signingKey);
}
