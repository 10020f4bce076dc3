import type { TrustedWriter } from "@platform-rpc/client/crypto";
import { type Certificate, type CertificatePlace, certifiedWriter } from "@platform-rpc/items/unlock/certificate";
import { createBrowserStore } from "./browser-store.js";

/** What the server answers to a script that asks for the certificates of a person. */
export interface ListedCertificates {
  readonly certificates: readonly Certificate[];
  /** The signing keys whose certificates the person has removed. */
  readonly removed: readonly string[];
}

/**
 * Returns the programs that the person has certified. They are verified with the person's own key: the server cannot add one.
 *
 * @param personKey the person's verification key
 */
export async function certifiedPrograms(
  { certificates, removed }: ListedCertificates,
  place: CertificatePlace,
  personKey: CryptoKey,
): Promise<readonly TrustedWriter[]> {
  const gone = await rememberRemoved(removed);
  const left = certificates.filter(({ signingKey }) => !gone.has(signingKey));
  const verified = await Promise.all(left.map((each) => certifiedWriter(each, place, personKey)));
  return verified.filter((program) => program !== undefined);
}

const store = createBrowserStore("platform-removed-programs", "signing-keys");

/**
 * Remembers the signing keys that the person has removed, until they sign out, and returns all that this browser knows. A server that lists
 * the certificate of one again is noticed.
 */
async function rememberRemoved(signingKeys: readonly string[]): Promise<ReadonlySet<string>> {
  try {
    for (const key of signingKeys) await store.use("readwrite", (keys) => keys.put(true, key));
    const all = await store.use("readonly", (keys) => keys.getAllKeys());
    return new Set([...signingKeys, ...all.map(String)]);
  } catch {
    // Without storage, the browser believes what the server says now.
    return new Set(signingKeys);
  }
}
