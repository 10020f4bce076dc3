import { type Certificate, certifiedWriter } from "@platform-rpc/unlock/certificate";
import { requestAccount } from "../session/call-account.js";
import type { VaultReader } from "./open-content.js";

/** A program that the person has certified. */
type Program = NonNullable<VaultReader["programs"]>[number];

/** How often the programs are listed again at most, in milliseconds. */
const everyMs = 5000;

let known: readonly Program[] = [];
let listedAt: number | undefined;
let listing: Promise<readonly Program[]> | undefined;

/**
 * Lists the programs that the person has certified. Those are verified with the person's own key: the server cannot add one. If they
 * cannot be listed, those known before are returned.
 */
export function listPrograms({
  tenantId,
  principalId: accountId,
  member,
}: Pick<VaultReader, "tenantId" | "principalId" | "member">): Promise<readonly Program[]> {
  if (member === undefined || (listedAt !== undefined && performance.now() - listedAt < everyMs)) {
    return listing ?? Promise.resolve(known);
  }
  listedAt = performance.now();
  listing = requestAccount<{ readonly certificates: readonly Certificate[] }>("certificates").then(
    async ({ certificates }) => {
      const place = { tenantId, accountId };
      const verified = certificates.map((each) => certifiedWriter(each, place, member.verificationKey));
      known = (await Promise.all(verified)).filter((program) => program !== undefined);
      return known;
    },
    () => known,
  );
  return listing;
}
