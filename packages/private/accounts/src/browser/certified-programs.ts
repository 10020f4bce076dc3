import type { TrustedWriter } from "@platform-rpc/client/crypto";
import {
  type Certificate,
  type CertificatePlace,
  certifiedWriter,
  isRemoval,
  type Removal,
} from "@platform-rpc/items/unlock/certificate";
import { createBrowserStore } from "./browser-store.js";

/** What the server answers to a script that asks for the certificates of a person. */
export interface ListedCertificates<Listed extends Certificate = Certificate> {
  readonly certificates: readonly Listed[];
  readonly removed: readonly Removal[];
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
  const gone = new Set(await removedKeys(removed, place, personKey));
  const left = certificates.filter(({ signingKey }) => !gone.has(signingKey));
  const verified = await Promise.all(left.map((each) => certifiedWriter(each, place, personKey)));
  return verified.filter((program) => program !== undefined);
}

/**
 * Returns the signing keys whose certificates the person has removed, as far as this browser knows. The server cannot add one, and one that
 * it leaves out later is remembered until the person signs out.
 */
export async function removedKeys(
  listed: readonly Removal[],
  place: CertificatePlace,
  personKey: CryptoKey,
): Promise<readonly string[]> {
  const checked = listed.map(async (removal) => ((await isRemoval(removal, place, personKey)) ? [removal] : []));
  const removals = (await Promise.all(checked)).flat();
  return rememberRemoved(removals.map(({ signingKey }) => signingKey));
}

const store = createBrowserStore("platform-removed-programs", "signing-keys");

/** Remembers the signing keys that the person has removed, until they sign out, and returns all that this browser knows. */
export async function rememberRemoved(signingKeys: readonly string[]): Promise<readonly string[]> {
  try {
    for (const key of signingKeys) await store.use("readwrite", (keys) => keys.put(true, key));
    const all = await store.use("readonly", (keys) => keys.getAllKeys());
    return all.map(String);
  } catch {
    // Without storage, the browser believes what the server says now.
    return signingKeys;
  }
}
