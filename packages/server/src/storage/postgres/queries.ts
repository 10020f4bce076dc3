import { type Item, type ItemRef, wholeItem } from "../../domain/model/item.js";
import type { RecordKey, StoredRecord } from "../../domain/model/record.js";
import type { MemberVault } from "../../domain/model/vault.js";
import type { ChangePage, ChangeQuery } from "../../ports/queries.js";
import type { Backlog, Storage } from "../../ports/storage.js";
import { fitPage } from "../fit-page.js";
import { type RecordColumns, toRecord } from "./columns.js";
import type { ContentCipher } from "./content-cipher.js";
import type { CallFunction } from "./database/database.js";
import { blamesOne } from "./database/postgres-error.js";
import { recordKeys } from "./load-keys.js";
import { type LoadedRows, toRecord as toLoadedRecord } from "./loaded-rows.js";
import { createReadBatches } from "./read-batches.js";
import { required, sound } from "./schema/checksum.js";
import type { TenantFence } from "./tenant-fence.js";

/** The methods of a storage that read outside of a transaction. */
type Queries = Pick<
  Storage,
  "readRecords" | "readBacklog" | "listChanges" | "listVaults" | "listShreddable" | "listRecords"
>;

export interface QueriesOptions {
  readonly readOf: (tenantIds: readonly string[]) => CallFunction;
  /** Reads data of all tenants that are served. */
  readonly read: CallFunction;
  readonly served: TenantFence["served"];
  readonly cipher: ContentCipher;
  /** The largest number of calls that are answered by one statement. */
  readonly batchLimit: number;
}

/** Creates the methods of a storage that read outside of a transaction: each is one statement, and so sees one view. */
export function createPostgresQueries({ readOf, read, served, cipher, batchLimit }: QueriesOptions): Queries {
  const readAll = async (
    asked: readonly (readonly RecordKey[])[],
  ): Promise<readonly (readonly (StoredRecord | undefined)[])[]> => {
    const keys = new Map(asked.flat().map((key) => [idOf(key), key]));
    const tenantIds = [...new Set(asked.flat().map(({ tenantId }) => tenantId))];
    const { records } = await readOf(tenantIds)<LoadedRows>("SELECT platform_load($1)", recordKeys([...keys.values()]));
    const found = (records ?? []).map(toLoadedRecord).filter((record) => record !== undefined);
    const byKey = new Map(found.map((record) => [idOf(record), record]));
    return asked.map((each) => each.map((key) => byKey.get(idOf(key))));
  };

  return {
    readRecords: createReadBatches(readAll, batchLimit, blamesOne),

    async readBacklog() {
      const sql = `
        SELECT json_strip_nulls(json_build_object(
          'unsealedSince', (SELECT at FROM platform_audit_rows(
            coalesce((SELECT max(position) FROM audit_seals), 0), (SELECT last_value FROM audit_positions), 1)),
          'shreddableFrom', (SELECT min(shred_at) FROM tombstones WHERE ${served("tombstones")}),
          'expiredFrom', (SELECT min(expires_at) FROM records)))`;
      const { unsealedSince, shreddableFrom, expiredFrom } = await read<Partial<Backlog>>(sql);
      return { unsealedSince, shreddableFrom, expiredFrom };
    },

    async listChanges(query) {
      const { tenantId, vaultId, principalId, afterSequence, limit, maxBytes = Number.POSITIVE_INFINITY } = query;
      const page = [afterSequence, limit, maxBytes];
      const read = readOf([tenantId]);
      const listed =
        principalId === undefined
          ? await read<ListedChanges>("SELECT platform_list_changes($1, $2, $3, $4, $5)", tenantId, vaultId, ...page)
          : await read<ListedChanges>(
              "SELECT platform_list_changes_of_member($1, $2, $3, $4, $5, $6)",
              ...[tenantId, vaultId, principalId, ...page],
            );
      return toChangePage(query, listed, cipher);
    },

    listVaults({ tenantId, principalId, afterVaultId = "", limit }) {
      const sql = "SELECT platform_list_vaults($1, $2, $3, $4)";
      return readOf([tenantId])<readonly MemberVault[]>(sql, tenantId, principalId, afterVaultId, limit);
    },

    listShreddable(now, limit) {
      const sql = `
        SELECT CASE WHEN coalesce(bool_and(${required("tombstones", "due")}), true) THEN
          coalesce(json_agg(json_build_object('tenantId', tenant_id, 'vaultId', vault_id, 'itemId', item_id)), '[]') END
        FROM (SELECT * FROM tombstones WHERE shred_at <= $1 AND (NOT (${sound("tombstones", "tombstones")}) OR ${served("tombstones")}) ORDER BY shred_at LIMIT $2) AS due`;
      return read<readonly ItemRef[]>(sql, now, limit);
    },

    async listRecords({ collection, tenantId, principalId, afterKey = "", limit }) {
      const sql = `
        SELECT CASE WHEN coalesce(bool_and(${required("records", "found")}), true) THEN
          coalesce(json_agg(to_json(found) ORDER BY key), '[]') END FROM (
          SELECT * FROM records WHERE tenant_id = $1 AND collection = $2 AND principal_id = $3 AND principal_id <> '' AND key > $4 ORDER BY key LIMIT $5
        ) AS found`;
      const rows = await readOf([tenantId])<readonly RecordColumns[]>(
        sql,
        tenantId,
        collection,
        principalId,
        afterKey,
        limit,
      );
      return rows.map(toRecord);
    },
  };
}

function idOf({ tenantId, collection, key }: RecordKey): string {
  return JSON.stringify([tenantId, collection, key]);
}

/** The result of `platform_list_changes`. Null when the vault does not exist. */
type ListedChanges = {
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
function toChangePage(query: ChangeQuery, listed: ListedChanges, cipher: ContentCipher): ChangePage {
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
  const status = { ...ref, version, updatedAt, state, shredAt: shredAt ?? undefined };
  return wholeItem({ ...status, sequence, content: () => opened });
}
