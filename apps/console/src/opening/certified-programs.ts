import {
  certifiedPrograms,
  type ListedCertificates,
  rememberRemoved,
} from "@platform-rpc/accounts/browser/certified-programs";
import { type Certificate, signRemoval, writerIdOf } from "@platform-rpc/items/unlock/certificate";
import { AccountError } from "../session/account-error.js";
import { callAccount, requestAccount } from "../session/call-account.js";
import { keptPerson } from "../session/kept-person.js";
import type { ConsoleSession } from "../session/session.js";
import type { VaultReader } from "./open-content.js";

/** How often the programs are listed again at most, in milliseconds. */
const everyMs = 5000;

let known: VaultReader["programs"] = [];
let listedAt: number | undefined;
let listing: Promise<VaultReader["programs"]> | undefined;

/** Lists the certificates that the server has, and whether each is one: the person has signed it, and not removed it. */
export async function listCertificates<Listed extends Certificate>({
  tenantId,
  principalId: accountId,
  keys,
}: ConsoleSession): Promise<readonly (Listed & { readonly isCertified: boolean })[]> {
  const listed = await callAccount<ListedCertificates<Listed>>("certificates");
  const programs = await certifiedPrograms(listed, { tenantId, accountId }, keys.member.verificationKey);
  const ids = new Set(programs.map(({ writerId }) => writerId));
  const checked = listed.certificates.map(async (certificate) => {
    return { ...certificate, isCertified: ids.has(await writerIdOf(certificate.signingKey)) };
  });
  return Promise.all(checked);
}

/** Removes the certificate of a program, which this browser remembers, also if the server lists it again. */
export async function removeCertificate(
  signingKey: string,
  { tenantId, principalId: accountId, keys }: ConsoleSession,
): Promise<void> {
  const removal = await signRemoval(signingKey, { tenantId, accountId }, keys.member.signingKey);
  await callAccount("certificates/remove", removal);
  await rememberRemoved([signingKey]);
  // The programs are listed again when they are needed next.
  listedAt = undefined;
}

/** Lists the programs that the person has certified. If they cannot be listed, those known before are returned. */
export function listPrograms({
  tenantId,
  principalId: accountId,
  member,
}: Pick<VaultReader, "tenantId" | "principalId" | "member">): Promise<VaultReader["programs"]> {
  if (member === undefined || (listedAt !== undefined && performance.now() - listedAt < everyMs)) {
    return listing ?? Promise.resolve(known);
  }
  listedAt = performance.now();
  listing = requestAccount<ListedCertificates>("certificates")
    .catch(keptCertificates)
    .then(
      async (listed) => {
        known = await certifiedPrograms(listed, { tenantId, accountId }, member.verificationKey);
        return known;
      },
      () => known,
    );
  return listing;
}

/** Returns the certificates that the browser has kept, if the server does not answer and has listed none yet. */
async function keptCertificates(error: unknown): Promise<ListedCertificates> {
  const isNoAnswer = error instanceof AccountError && error.requestId === "";
  const kept = known.length === 0 && isNoAnswer ? await keptPerson() : undefined;
  if (kept === undefined) throw error;
  return kept.wrapped.certificates;
}
