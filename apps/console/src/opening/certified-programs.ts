import { certifiedPrograms, type ListedCertificates } from "@platform-rpc/accounts/browser/certified-programs";
import { requestAccount } from "../session/call-account.js";
import type { VaultReader } from "./open-content.js";

/** How often the programs are listed again at most, in milliseconds. */
const everyMs = 5000;

let known: VaultReader["programs"] = [];
let listedAt: number | undefined;
let listing: Promise<VaultReader["programs"]> | undefined;

/** Has the programs listed again when they are needed next: the person has removed one. */
export function forgetPrograms(): void {
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
  listing = requestAccount<ListedCertificates>("certificates").then(
    async (listed) => {
      known = await certifiedPrograms(listed, { tenantId, accountId }, member.verificationKey);
      return known;
    },
    () => known,
  );
  return listing;
}
