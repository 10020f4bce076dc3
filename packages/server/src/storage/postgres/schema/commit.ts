import { columnsOf, sound } from "./checksum.js";

/**
 * Commits a batch: one statement, one transaction, one flush. Returns the stale groups, and the sequence of each change.
 *
 * The calls of a batch that see each other's writes are a group, `g`. The function compares every row that a decision has read
 * with what was read. A group that read something else is stale: nothing of it is written, and its calls are decided again. All
 * other groups are written. A damaged row makes its group stale, too: loading it again reports the damage. A change gets its vault's next sequence here, under the vault's lock: two batches never get the same
 * one, and sequences are in the order of the commits.
 *
 * Before it compares, it locks the rows that a decision read in order to change them. Locks and writes are in one order of tables,
 * and in each table in the order of the batch's list, which the caller has sorted by key, so that no two batches wait for each
 * other. Records that a decision only read are compared without a lock: a change of one that is committed in the same moment counts as
 * made after the batch. A row that was found missing is inserted without ON CONFLICT: if another process inserts it in the same moment,
 * the batch fails and is decided again.
 *
 * Each row is found by its primary key, whatever the statistics say: see `load`. Rows that exist are updated by an insert with
 * ON CONFLICT, which always uses the index, or one by one. Each query sees what was committed while the function waited for a lock,
 * because the function is VOLATILE and the isolation level is READ COMMITTED.
 */
export const commit = `
CREATE OR REPLACE FUNCTION platform_commit(batch jsonb) RETURNS json LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
SET lock_timeout = '5s'
AS $$
DECLARE
  stale integer[];
  numbered json;
  each record;
BEGIN
  IF batch ? 'oldRecords' THEN
    PERFORM FROM jsonb_to_recordset(batch->'oldRecords') AS d(t text, c text, k text),
      LATERAL (SELECT FROM records WHERE tenant_id = d.t AND collection = d.c AND key = d.k FOR UPDATE) AS locked;
  END IF;
  IF batch ? 'vaults' THEN
    PERFORM FROM jsonb_to_recordset(batch->'vaults') AS d(t text, v text),
      LATERAL (SELECT FROM vaults WHERE tenant_id = d.t AND vault_id = d.v FOR UPDATE) AS locked;
  END IF;

  SELECT coalesce(array_agg(DISTINCT g), '{}') INTO stale FROM (
    SELECT unnest(d.g) AS g FROM jsonb_to_recordset(batch->'vaults') AS d(g integer[], t text, v text, r bigint)
      LEFT JOIN LATERAL (SELECT * FROM vaults WHERE tenant_id = d.t AND vault_id = d.v LIMIT 1) AS x ON true
      WHERE x.access_revision IS DISTINCT FROM d.r OR NOT (${sound("vaults", "x")})
    UNION ALL
    SELECT d.g FROM jsonb_to_recordset(batch->'items') AS d(g integer, t text, v text, i text, r bigint, s text)
      LEFT JOIN LATERAL (SELECT * FROM items WHERE tenant_id = d.t AND vault_id = d.v AND item_id = d.i LIMIT 1) AS x ON true
      WHERE x.version IS DISTINCT FROM d.r OR x.state IS DISTINCT FROM d.s OR NOT (${sound("items", "x")})
  ) AS moved;
  IF batch ? 'records' THEN
    SELECT stale || coalesce(array_agg(DISTINCT d.g), '{}') INTO stale
      FROM jsonb_to_recordset(batch->'records') AS d(g integer, t text, c text, k text, r bigint)
      LEFT JOIN LATERAL (SELECT * FROM records WHERE tenant_id = d.t AND collection = d.c AND key = d.k LIMIT 1) AS x ON true
      WHERE x.revision IS DISTINCT FROM d.r OR NOT (${sound("records", "x")});
  END IF;

  IF batch ? 'newVaults' THEN
    INSERT INTO vaults (tenant_id, vault_id, retention_days, access_revision, sequence, floor)
    SELECT w.t, w.v, w.days, w.r, w.floor, w.floor
      FROM jsonb_to_recordset(batch->'newVaults') AS w(g integer, t text, v text, days integer, r bigint, floor bigint)
      WHERE w.g <> ALL (stale);
  END IF;
  FOR each IN SELECT * FROM jsonb_to_recordset(batch->'oldVaults') AS w(g integer, t text, v text, days integer, r bigint)
      WHERE w.g <> ALL (stale) LOOP
    UPDATE vaults SET retention_days = each.days, access_revision = each.r WHERE tenant_id = each.t AND vault_id = each.v;
  END LOOP;
  IF batch ? 'members' THEN
    FOR each IN SELECT * FROM jsonb_to_recordset(batch->'members') AS w(g integer, t text, v text, p text, role text)
        WHERE w.role IS NULL AND w.g <> ALL (stale) LOOP
      DELETE FROM vault_members WHERE tenant_id = each.t AND vault_id = each.v AND principal_id = each.p;
    END LOOP;
    INSERT INTO vault_members (tenant_id, vault_id, principal_id, role)
    SELECT w.t, w.v, w.p, w.role
      FROM jsonb_to_recordset(batch->'members') AS w(g integer, t text, v text, p text, role text)
      WHERE w.role IS NOT NULL AND w.g <> ALL (stale)
    ON CONFLICT (tenant_id, vault_id, principal_id) DO UPDATE SET role = excluded.role;
  END IF;

  IF batch ? 'changes' THEN
    WITH written AS (
      SELECT w.*, x.retention_days, x.access_revision, x.floor,
          x.sequence + row_number() OVER (PARTITION BY w.t, w.v ORDER BY w.n) AS sequence
        FROM jsonb_to_recordset(batch->'changes') AS w(n integer, g integer, t text, v text, i text, version bigint,
          state text, at bigint, shred bigint, last boolean, kind text, alg text, pv bigint),
        LATERAL (SELECT * FROM vaults WHERE tenant_id = w.t AND vault_id = w.v LIMIT 1) AS x
        WHERE w.g <> ALL (stale)
    ), history AS (
      INSERT INTO changes (tenant_id, vault_id, sequence, item_id, version, state, at)
      SELECT t, v, sequence, i, version, state, at FROM written
    ), heads AS (
      INSERT INTO vaults (tenant_id, vault_id, retention_days, access_revision, sequence, floor)
      SELECT DISTINCT ON (t, v) t, v, retention_days, access_revision, sequence, floor FROM written ORDER BY t, v, sequence DESC
      ON CONFLICT (tenant_id, vault_id) DO UPDATE SET sequence = excluded.sequence
    ), statuses AS (
      INSERT INTO items (tenant_id, vault_id, item_id, version, sequence, state, kind, updated_at, shred_at, payload_alg, payload_version)
      SELECT t, v, i, version, sequence, state, kind, at, shred, alg, pv FROM written WHERE last
      ON CONFLICT (tenant_id, vault_id, item_id) DO UPDATE SET version = excluded.version, sequence = excluded.sequence,
        state = excluded.state, kind = excluded.kind, updated_at = excluded.updated_at, shred_at = excluded.shred_at,
        payload_alg = excluded.payload_alg, payload_version = excluded.payload_version
    )
    SELECT json_agg(json_build_array(n, sequence)) INTO numbered FROM written;
  END IF;
  FOR each IN SELECT * FROM jsonb_to_recordset(batch->'oldTombstones') AS w(g integer, t text, v text, i text, at bigint)
      WHERE w.g <> ALL (stale) LOOP
    DELETE FROM tombstones WHERE shred_at = each.at AND tenant_id = each.t AND vault_id = each.v AND item_id = each.i;
  END LOOP;
  IF batch ? 'newTombstones' THEN
    INSERT INTO tombstones (tenant_id, vault_id, item_id, shred_at)
    SELECT w.t, w.v, w.i, w.at FROM jsonb_to_recordset(batch->'newTombstones') AS w(g integer, t text, v text, i text, at bigint)
      WHERE w.g <> ALL (stale);
  END IF;
  IF batch ? 'contents' THEN
    INSERT INTO contents (tenant_id, vault_id, item_id, content)
    SELECT t, v, i, decode(content, 'base64')
      FROM jsonb_to_recordset(batch->'contents') AS w(g integer, t text, v text, i text, content text)
      WHERE w.g <> ALL (stale)
    ON CONFLICT (tenant_id, vault_id, item_id) DO UPDATE SET content = excluded.content;
    INSERT INTO content_keys (tenant_id, vault_id, item_id, salt)
    SELECT t, v, i, decode(salt, 'base64')
      FROM jsonb_to_recordset(batch->'contents') AS w(g integer, t text, v text, i text, salt text)
      WHERE w.g <> ALL (stale)
    ON CONFLICT (tenant_id, vault_id, item_id) DO UPDATE SET salt = excluded.salt;
    INSERT INTO earlier_contents (tenant_id, vault_id, item_id, earlier)
    SELECT t, v, i, decode(earlier, 'base64')
      FROM jsonb_to_recordset(batch->'contents') AS w(g integer, t text, v text, i text, earlier text)
      WHERE w.earlier IS NOT NULL AND w.g <> ALL (stale)
    ON CONFLICT (tenant_id, vault_id, item_id) DO UPDATE SET earlier = excluded.earlier;
    FOR each IN SELECT * FROM jsonb_to_recordset(batch->'contents') AS w(g integer, t text, v text, i text, earlier text)
        WHERE w.earlier IS NULL AND w.g <> ALL (stale) LOOP
      DELETE FROM earlier_contents WHERE tenant_id = each.t AND vault_id = each.v AND item_id = each.i;
    END LOOP;
  END IF;
  FOR each IN SELECT * FROM jsonb_to_recordset(batch->'shreds') AS w(g integer, t text, v text, i text) WHERE w.g <> ALL (stale) LOOP
    UPDATE items SET state = 'shredded', shred_at = NULL WHERE tenant_id = each.t AND vault_id = each.v AND item_id = each.i;
    DELETE FROM content_keys WHERE tenant_id = each.t AND vault_id = each.v AND item_id = each.i;
    DELETE FROM contents WHERE tenant_id = each.t AND vault_id = each.v AND item_id = each.i;
    DELETE FROM earlier_contents WHERE tenant_id = each.t AND vault_id = each.v AND item_id = each.i;
  END LOOP;

  IF batch ? 'newRecords' THEN
    INSERT INTO records (${columnsOf("records")})
    SELECT ${columnsOf("records", "r")} FROM jsonb_to_recordset(batch->'newRecords') AS w(g integer, o jsonb),
        jsonb_populate_record(NULL::records, w.o) AS r WHERE w.g <> ALL (stale);
  END IF;
  IF batch ? 'oldRecords' THEN
    INSERT INTO records (${columnsOf("records")})
    SELECT ${columnsOf("records", "r")} FROM jsonb_to_recordset(batch->'oldRecords') AS w(g integer, o jsonb),
        jsonb_populate_record(NULL::records, w.o) AS r WHERE w.g <> ALL (stale)
    ON CONFLICT (tenant_id, collection, key) DO UPDATE SET principal_id = excluded.principal_id,
      oauth_client_id = excluded.oauth_client_id, value = excluded.value, revision = excluded.revision,
      created_at = excluded.created_at, expires_at = excluded.expires_at, links = excluded.links;
  END IF;
  IF batch ? 'audit' THEN
    INSERT INTO audit (subject_tenant_id, at, tenant_id, principal_id, oauth_client_id, token_id, operation, request_id,
      subject, event, version_before, version_after)
    SELECT w.st, w.at, w.t, w.p, w.c, w.j, w.o, w.r, w.s, w.e, w.vb, w.va
      FROM jsonb_to_recordset(batch->'audit') AS w(g integer, st text, at bigint, t text, p text, c text, j text, o text,
        r text, s text, e text, vb bigint, va bigint)
      WHERE w.g <> ALL (stale);
  END IF;
  RETURN json_build_object('stale', to_json(stale), 'sequences', numbered);
END $$;
`;
