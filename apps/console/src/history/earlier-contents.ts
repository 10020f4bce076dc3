import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Item } from "@platform-rpc/types";
import type { Content } from "../opening/open-content.js";
import { openVerified } from "../opening/open-items-of.js";
import type { Members } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import type { OwnVault } from "../vaults/own-vault.js";

export interface Earlier {
  /** The last version of the item with this content, and when it got that version. */
  readonly version: number;
  readonly kind: string;
  readonly updatedAt: Date;
  readonly replacedAt: Date;
  readonly content: Content;
}

/** Gets the contents of an item that were replaced, the newest first, and opens them. @param keepsText see `VaultReader` */
export async function readEarlier(
  { itemId }: Pick<Item, "itemId">,
  { vaultId, key }: Pick<OwnVault, "vaultId" | "key">,
  { tenantId, principalId, keys }: ConsoleSession,
  members: Members,
  keepsText = false,
): Promise<readonly Earlier[]> {
  const { contents } = await members.listEarlierContents({ vaultId, itemId });
  const reader = { tenantId, vaultId, principalId, decryptionKey: keys.decryptionKey, member: keys.member, key };
  const opened = await openVerified({ ...reader, keepsText })(contents.map((sealed) => ({ ...sealed, itemId })));
  return contents.flatMap(({ version, kind, updatedAt, replacedAt }, index) => {
    const content = opened[index];
    if (content === undefined || updatedAt === undefined || replacedAt === undefined) return [];
    return [{ version, kind, updatedAt: timestampDate(updatedAt), replacedAt: timestampDate(replacedAt), content }];
  });
}
