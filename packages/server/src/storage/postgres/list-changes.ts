import type { Item } from "../../domain/model/item.js";
import type { ChangePage, ChangeQuery } from "../../ports/queries.js";
import { fitPage } from "../fit-page.js";
import type { ContentCipher } from "./content-cipher.js";

/** The result of `platform_list_changes`. Null when the vault does not exist. */
export type ListedChanges = {
  readonly days: number;
  readonly access: number;
  readonly head: number;
  readonly reached: boolean;
  readonly items: readonly ListedItem[] | null;
} | null;

type ListedItem = readonly [
  itemId: string,
  version: number,
  sequence: number,
  state: Item["state"],
  updatedAt: number,
  shredAt: number | null,
  kind: string,
  alg: string,
  payloadVersion: number,
  content: string | null,
  salt: string | null,
];

/** Converts the listed changes to a page that has at most the query's number of items and bytes. */
export function toChangePage(query: ChangeQuery, listed: ListedChanges, cipher: ContentCipher): ChangePage {
  if (listed === null) return { vault: undefined, head: 0, reached: false, items: [], hasMore: false };
  const { tenantId, vaultId } = query;
  const { days: retentionDays, access: accessRevision, head, reached } = listed;
  const items = (listed.items ?? []).map((row) => toItem({ tenantId, vaultId }, row, cipher));
  return { vault: { tenantId, vaultId, retentionDays, accessRevision }, head, reached, ...fitPage(items, query) };
}

function toItem(
  vault: { readonly tenantId: string; readonly vaultId: string },
  row: ListedItem,
  cipher: ContentCipher,
): Item {
  const [itemId, version, sequence, state, updatedAt, shredAt, kind, alg, payloadVersion, content, salt] = row;
  const ref = { ...vault, itemId };
  const opened = cipher.open({ ...ref, kind, alg, payloadVersion, content, salt });
  return { ...opened, ...ref, version, updatedAt, state, shredAt: shredAt ?? undefined, sequence };
}
