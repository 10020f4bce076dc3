import type { AccessState } from "../../domain/access.js";
import type { ItemRef } from "../../domain/item.js";
import type { MemberVault } from "../../domain/vault.js";
import type { AccessRef } from "../../ports/queries.js";
import type { Backlog, Storage } from "../../ports/storage.js";
import { type GrantColumns, type RecordColumns, toGrant, toOauthClient, toRecord } from "./columns.js";
import type { ContentCipher } from "./content-cipher.js";
import type { CallFunction } from "./database.js";
import { type ListedChanges, toChangePage } from "./list-changes.js";
import { accessKeys } from "./load-keys.js";
import type { LoadedRows } from "./loaded-rows.js";
import { isDataException } from "./postgres-error.js";
import { createReadBatches } from "./read-batches.js";

/** The methods of a storage that read outside of a transaction. */
type Queries = Pick<
  Storage,
  "readAccess" | "readBacklog" | "listChanges" | "listVaults" | "listShreddable" | "listRecords" | "listGrants"
>;

export interface QueriesOptions {
  readonly read: CallFunction;
  readonly cipher: ContentCipher;
  /** The largest number of tokens whose state is read in one statement. */
  readonly batchLimit: number;
}

/** Creates the methods of a storage that read outside of a transaction: each is one statement, and so sees one view. */
export function createPostgresQueries({ read, cipher, batchLimit }: QueriesOptions): Queries {
  const readAccessOf = async (refs: readonly AccessRef[]): Promise<AccessState[]> => {
    const { access } = await read<LoadedRows>("SELECT platform_load($1)", accessKeys(refs));
    const byNumber = new Map((access ?? []).map(([n, ...state]) => [n, state]));
    return refs.map((_, n) => {
      const [client = null, active = null, revoked = true] = byNumber.get(n) ?? [];
      return {
        oauthClient: client === null ? undefined : toOauthClient(client),
        principalActive: active ?? false,
        revoked,
      };
    });
  };

  return {
    readAccess: createReadBatches(
      readAccessOf,
      batchLimit,
      (error) => error instanceof Error && isDataException(error.cause),
    ),

    async readBacklog() {
      const sql = `
        SELECT json_strip_nulls(json_build_object(
          'unsealedSince', (SELECT at FROM platform_audit_rows(
            coalesce((SELECT max(position) FROM audit_seals), 0), (SELECT last_value FROM audit_positions), 1)),
          'shreddableFrom', (SELECT min(shred_at) FROM tombstones),
          'expiredFrom', least((SELECT min(expires_at) FROM device_authorizations),
            (SELECT 1000 * min(expires_at) FROM grants), (SELECT min(expires_at) FROM records))))`;
      const { unsealedSince, shreddableFrom, expiredFrom } = await read<Partial<Backlog>>(sql);
      return { unsealedSince, shreddableFrom, expiredFrom };
    },

    async listChanges(query) {
      const { tenantId, vaultId, principalId, afterSequence, limit, maxBytes = Number.POSITIVE_INFINITY } = query;
      const page = [afterSequence, limit, maxBytes];
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
      return read<readonly MemberVault[]>(sql, tenantId, principalId, afterVaultId, limit);
    },

    listShreddable(now, limit) {
      const sql = `
        SELECT coalesce(json_agg(json_build_object('tenantId', tenant_id, 'vaultId', vault_id, 'itemId', item_id)), '[]')
        FROM (SELECT * FROM tombstones WHERE shred_at <= $1 ORDER BY shred_at LIMIT $2) AS due`;
      return read<readonly ItemRef[]>(sql, now, limit);
    },

    async listRecords({ collection, tenantId, principalId, afterKey = "", limit }) {
      const sql = `
        SELECT coalesce(json_agg(to_json(found) ORDER BY key), '[]') FROM (
          SELECT * FROM records WHERE collection = $1 AND tenant_id = $2 AND principal_id = $3 AND key > $4 ORDER BY key LIMIT $5
        ) AS found`;
      const rows = await read<readonly RecordColumns[]>(sql, collection, tenantId, principalId, afterKey, limit);
      return rows.map(toRecord);
    },

    async listGrants({ tenantId, principalId, expiresAfter, limit }) {
      const sql = `
        SELECT coalesce(json_agg(to_json(found) ORDER BY issued_at DESC, grant_id), '[]') FROM (
          SELECT * FROM grants WHERE expires_at > $1 AND tenant_id = $2 AND principal_id = $3
            AND NOT EXISTS (SELECT 1 FROM revocations WHERE subject_id = grant_id)
          ORDER BY issued_at DESC, grant_id LIMIT $4
        ) AS found`;
      const rows = await read<readonly GrantColumns[]>(sql, expiresAfter, tenantId, principalId, limit);
      return rows.map(toGrant);
    },
  };
}
