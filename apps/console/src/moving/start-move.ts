import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type ItemContent, writeContent } from "@platform-rpc/items/item-content";
import { titleOf } from "@platform-rpc/items/kind-fields";
import { checkAnswer } from "@platform-rpc/items/vault/check-answer";
import type { Revision } from "@platform-rpc/items/vault/memory";
import type { Item } from "@platform-rpc/types";
import type { ShownRun } from "../bulk/bulk-panel.js";
import { type Outcome, startBulkRun } from "../bulk/bulk-run.js";
import { alone, resultOf } from "../bulk/start-item-run.js";
import { sealWritten } from "../editing/seal-written.js";
import { readEarlier } from "../history/earlier-contents.js";
import type { ItemRow } from "../items/item-rows.js";
import { type Content, writtenIn } from "../opening/open-content.js";
import { addOwnWrite } from "../opening/own-writes.js";
import type { Members } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import type { Library } from "../vaults/library.js";
import type { OwnVault } from "../vaults/own-vault.js";
import { createSignDeletions } from "../vaults/sign-deletion.js";

interface MoveOptions {
  readonly rows: readonly ItemRow[];
  readonly to: OwnVault;
  /** Whether the items stay where they are, and the copies have no history. */
  readonly copy: boolean;
  readonly session: ConsoleSession;
  readonly members: Members;
  readonly library: Pick<Library, "vaults" | "add">;
}

/** Moves items to another vault, or copies them: the results are the new items. Each is encrypted for that vault, and then moved in one step at the server. */
export function startMove({ rows, to, copy, session, members, library }: MoveOptions): ShownRun {
  const sign = createSignDeletions(session);
  const sealed = new Map<ItemRow, ReturnType<typeof sealFor>>();

  /** Encrypts an item once: what is tried again is an exact retry, which neither loses the item nor leaves two. */
  const prepare = (row: ItemRow) => {
    const known = sealed.get(row) ?? sealFor(row);
    sealed.set(row, known);
    known.catch(() => sealed.delete(row));
    return known;
  };
  const sealFor = async ({ vaultId, item, content }: ItemRow) => {
    const itemId = crypto.randomUUID();
    const seal = (kind: string, signed: ItemContent, replaces?: Revision) => {
      const title = titleOf(kind, signed);
      const written = { itemId, baseVersion: 0, kind, title, text: writeContent({ ...signed, title }), replaces };
      return sealWritten({ ...session, vaultId: to.vaultId, key: to.key }, written);
    };
    // It names what it replaces, so that the page knows that it has a history.
    const toItem = await seal(item.kind, signable(content), copy ? undefined : content?.revision?.replaces);
    const from = library.vaults?.find((vault) => vault.vaultId === vaultId);
    const before = copy || from === undefined ? [] : await readEarlier(item, from, session, members);
    const earlier = before.filter(({ content }) => content.fields !== undefined && !content.isUnverified);
    return {
      toItem,
      earlier: await Promise.all(
        earlier.map(async ({ kind, content, updatedAt, replacedAt }) => ({
          ...(await seal(kind, signable(content))),
          ...{ version: 1, updatedAt: timestampFromDate(updatedAt), replacedAt: timestampFromDate(replacedAt) },
        })),
      ),
    };
  };

  /** Resolves with undefined if it cannot be read: the page follows the vault in any case. */
  const readItem = async (vaultId: string, itemId: string) =>
    (await members.getItem({ vaultId, itemId }).catch(() => undefined))?.item;

  const move = async ([row]: readonly ItemRow[]): Promise<readonly Outcome<Item>[]> => {
    if (row === undefined) return [];
    const { toItem, earlier } = await prepare(row);
    const { vaultId, item } = row;
    addOwnWrite(toItem.encryptedPayload);
    const [deleted] = copy ? [] : await sign(vaultId, [{ itemId: item.itemId, baseVersion: item.version }]);
    const answer =
      deleted === undefined
        ? await members.putItem({ vaultId: to.vaultId, ...toItem })
        : await members.moveItem({ vaultId, item: deleted, toVaultId: to.vaultId, toItem, earlier });
    const result = checkAnswer(toItem, answer.item);
    library.add(to.vaultId, [result]);
    const tombstone = copy ? undefined : await readItem(vaultId, item.itemId);
    if (tombstone !== undefined) library.add(vaultId, [tombstone]);
    return [{ outcome: "done", result }];
  };
  const kind = copy ? "copy" : "move";
  const call = (row: readonly ItemRow[]) => resultOf(row, kind, move);
  return { kind, targets: rows, ...startBulkRun<ItemRow, Item>({ targets: rows, divide: alone, call }) };
}

/** Returns a content to be signed by the person. @throws Error if nobody should sign it unseen */
function signable(content: Content | undefined): ItemContent {
  if (content?.fields === undefined || content.isReadOnly) {
    throw new Error("It cannot be opened completely, and stays where it is.");
  }
  // The signature of the person would make it one that they have written.
  if (content.isUnverified || content.finding !== undefined) {
    throw new Error(
      "You have not signed it as it is now, so that it stays where it is. Open it, and look at it first.",
    );
  }
  return writtenIn(content);
}
