import { type Certificate, certifiedWriter } from "@platform-rpc/unlock/certificate";
import { requestAccount } from "../session/call-account.js";
import type { VaultReader } from "./open-content.js";
import { rememberRemoved } from "./removed-programs.js";

/** A program that the person has certified. */
type Program = NonNullable<VaultReader["programs"]>[number];

/** How often the programs are listed again at most, in milliseconds. */
const everyMs = 5000;

let known: readonly Program[] = [];
let listedAt: number | undefined;
let listing: Promise<readonly Program[]> | undefined;

/** What the server answers. */
interface Listed {
  readonly certificates: readonly Certificate[];
  /** The signing keys whose certificates the person has removed. */
  readonly removed: readonly string[];
}

/** Has the programs listed again when they are needed next: the person has removed one. */
export function forgetPrograms(): void {
  listedAt = undefined;
}

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
  listing = requestAccount<Listed>("certificates").then(
    async ({ certificates, removed }) => {
      const place = { tenantId, accountId };
      const gone = await rememberRemoved(removed);
      const left = certificates.filter(({ signingKey }) => !gone.has(signingKey));
      const verified = left.map((each) => certifiedWriter(each, place, member.verificationKey));
      known = (await Promise.all(verified)).filter((program) => program !== undefined);
      return known;
    },
    () => known,
  );
  return listing;
}
