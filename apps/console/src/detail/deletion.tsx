import { type Certificate, writerIdOf } from "@platform-rpc/items/unlock/certificate";
import { signerOf } from "@platform-rpc/items/vault/deletion-proof";
import { useQuery } from "@tanstack/react-query";
import type { ItemRow } from "../items/item-rows.js";
import { stateOf } from "../items/item-state.js";
import { listPrograms } from "../opening/certified-programs.js";
import { callAccount } from "../session/call-account.js";
import { type Members, useConsole } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import { type Library, useLibrary } from "../vaults/library.js";
import { findActor } from "./changed-by.js";

/** Says who deleted an item, and what of that is only the word of the server. */
export function Deletion({ row }: { readonly row: ItemRow }) {
  const { session, members } = useConsole();
  const { add } = useLibrary();
  const { state } = stateOf(row.item, undefined);
  const { data } = useQuery({
    queryKey: ["deletion", row.key, row.item.version, state],
    queryFn: () => readDeletion(row, session, members, add),
  });
  if (data === undefined) return null;
  return (
    <p className="hint">
      {data.deletedBy}.
      {state === "shredded" &&
        (data.orderedBy === undefined
          ? " That its content is destroyed is what the server says: it has no order to delete it for ever that you have signed. The retention of the vault may have ended."
          : ` To delete it for ever was ordered by ${data.orderedBy}. That its content is destroyed is what the server says.`)}
    </p>
  );
}

async function readDeletion(
  { vaultId, item, ...row }: ItemRow,
  session: ConsoleSession,
  members: Members,
  add: Library["add"],
) {
  const { itemId, version } = item;
  const { tenantId, principalId, keys } = session;
  const found = await members.getItem({ vaultId, itemId });
  const { deletionProofs } = found;
  // The server lists no change when it destroys a content.
  if (found.item !== undefined) add(vaultId, [found.item]);
  const person = { writerId: principalId, publicKey: keys.member.verificationKey };
  const programs = await listPrograms({ tenantId, principalId, member: keys.member });
  const place = { tenantId, vaultId, itemId };
  const writers = [person, ...programs];
  const deleted = await signerOf("delete", { ...place, baseVersion: version - 1 }, deletionProofs?.deleted, writers);
  const shredded = await signerOf("shred", { ...place, baseVersion: version }, deletionProofs?.shredded, writers);
  const nameOf = (writerId: string) => (writerId === principalId ? "you" : nameOfProgram(writerId));
  return {
    deletedBy:
      deleted === undefined
        ? `Deleted by ${await findActor({ vaultId, item, ...row })}, as the server says: it has no signature of yours`
        : `Deleted by ${await nameOf(deleted)}`,
    orderedBy: shredded && (await nameOf(shredded)),
  };
}

/** Returns what the device of a certified program called itself. Its name is not signed, its key is. */
async function nameOfProgram(writerId: string): Promise<string> {
  const { certificates } = await callAccount<{
    readonly certificates: readonly (Certificate & { readonly device?: string })[];
  }>("certificates");
  for (const { signingKey, device } of certificates) {
    if ((await writerIdOf(signingKey)) === writerId && device) return `${device}, which signs for you`;
  }
  return "a program that signs for you";
}
