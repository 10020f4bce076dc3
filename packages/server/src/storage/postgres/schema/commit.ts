/**
 * Commits a batch: one statement, one transaction, one flush. Returns the stale groups, and the sequence of each change.
 *
 * The calls of a batch that see each other's writes are a group, `g`. The function compares every row that a decision has read
 * with what was read. A group that read something else is stale: nothing of it is written, and its calls are decided again. All
 * other groups are written. A change gets its vault's next sequence here, under the vault's lock: two batches never get the same
 * one, and sequences are in the order of the commits.
 *
 * Before it compares, it locks the rows that a decision read in order to change them. Locks and writes are in one order of tables,
 * and in each table in the order of the batch's list, which the caller has sorted by key, so that no two batches wait for each
 * other. Clients and principals are compared without a lock: a change of one that is committed in the same moment counts as made
 * after the batch. A row that was found missing is inserted without ON CONFLICT: if another process inserts it in the same moment,
 * the batch fails and is decided again.
 *
 * Each row is found by its primary key, whatever the statistics say: see `load`. Rows that exist are updated by an insert with
 * ON CONFLICT, which always uses the index, or one by one. Each query sees what was committed while the function waited for a lock,
 * because the function is VOLATILE and the isolation level is READ COMMITTED.
 */
export const commit = `
CREATE FUNCTION platform_commit(batch jsonb) RETURNS json LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET lock_timeout = '5s'
AS $$
DECLARE
  stale integer[];
  numbered json;
  each record;
BEGIN
  IF batch ? 'records' THEN
    PERFORM FROM jsonb_to_recordset(batch->'records') AS d(c text, k text),
      LATERAL (SELECT FROM records WHERE collection = d.c AND key = d.k FOR UPDATE) AS locked;
  END IF;
  IF batch ? 'userCodes' THEN
    PERFORM FROM jsonb_to_recordset(batch->'userCodes') AS d(u text),
      LATERAL (SELECT FROM user_codes WHERE user_code_hash = d.u FOR UPDATE) AS locked;
  END IF;
  IF batch ? 'authorizations' THEN
    PERFORM FROM jsonb_to_recordset(batch->'authorizations') AS d(h text),
      LATERAL (SELECT FROM device_authorizations WHERE device_code_hash = d.h FOR UPDATE) AS locked;
  END IF;
  IF batch ? 'vaults' THEN
    PERFORM FROM jsonb_to_recordset(batch->'vaults') AS d(t text, v text),
      LATERAL (SELECT FROM vaults WHERE tenant_id = d.t AND vault_id = d.v FOR UPDATE) AS locked;
  END IF;

  SELECT coalesce(array_agg(DISTINCT g), '{}') INTO stale FROM (
    SELECT unnest(d.g) AS g FROM jsonb_to_recordset(batch->'vaults') AS d(g integer[], t text, v text, r bigint)
      LEFT JOIN LATERAL (SELECT * FROM vaults WHERE tenant_id = d.t AND vault_id = d.v LIMIT 1) AS x ON true
      WHERE x.access_revision IS DISTINCT FROM d.r
    UNION ALL
    SELECT d.g FROM jsonb_to_recordset(batch->'items') AS d(g integer, t text, v text, i text, r bigint, s text)
      LEFT JOIN LATERAL (SELECT * FROM items WHERE tenant_id = d.t AND vault_id = d.v AND item_id = d.i LIMIT 1) AS x ON true
      WHERE x.version IS DISTINCT FROM d.r OR x.state IS DISTINCT FROM d.s
  ) AS moved;
  IF batch ?| '{authorizations,userCodes,principals,clients,records}' THEN
    SELECT stale || coalesce(array_agg(DISTINCT g), '{}') INTO stale FROM (
      SELECT d.g FROM jsonb_to_recordset(batch->'authorizations') AS d(g integer, h text, r bigint)
        LEFT JOIN LATERAL (SELECT * FROM device_authorizations WHERE device_code_hash = d.h LIMIT 1) AS x ON true
        WHERE x.revision IS DISTINCT FROM d.r
      UNION ALL
      SELECT d.g FROM jsonb_to_recordset(batch->'userCodes') AS d(g integer, u text, h text)
        LEFT JOIN LATERAL (SELECT * FROM user_codes WHERE user_code_hash = d.u LIMIT 1) AS x ON true
        WHERE x.device_code_hash IS DISTINCT FROM d.h
      UNION ALL
      SELECT d.g FROM jsonb_to_recordset(batch->'principals') AS d(g integer, t text, p text, a boolean)
        LEFT JOIN LATERAL (SELECT * FROM principals WHERE tenant_id = d.t AND principal_id = d.p LIMIT 1) AS x ON true
        WHERE x.active IS DISTINCT FROM d.a
      UNION ALL
      SELECT d.g FROM jsonb_to_recordset(batch->'clients') AS d(g integer, t text, c text, r bigint)
        LEFT JOIN LATERAL (SELECT * FROM oauth_clients WHERE tenant_id = d.t AND oauth_client_id = d.c LIMIT 1) AS x ON true
        WHERE x.revision IS DISTINCT FROM d.r
      UNION ALL
      SELECT d.g FROM jsonb_to_recordset(batch->'records') AS d(g integer, c text, k text, r bigint)
        LEFT JOIN LATERAL (SELECT * FROM records WHERE collection = d.c AND key = d.k LIMIT 1) AS x ON true
        WHERE x.revision IS DISTINCT FROM d.r
    ) AS moved;
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
  END IF;
  FOR each IN SELECT * FROM jsonb_to_recordset(batch->'shreds') AS w(g integer, t text, v text, i text) WHERE w.g <> ALL (stale) LOOP
    UPDATE items SET state = 'shredded', shred_at = NULL WHERE tenant_id = each.t AND vault_id = each.v AND item_id = each.i;
    DELETE FROM content_keys WHERE tenant_id = each.t AND vault_id = each.v AND item_id = each.i;
    DELETE FROM contents WHERE tenant_id = each.t AND vault_id = each.v AND item_id = each.i;
  END LOOP;

  IF batch ? 'newAuthorizations' THEN
    INSERT INTO device_authorizations
    SELECT r.* FROM jsonb_to_recordset(batch->'newAuthorizations') AS w(g integer, o jsonb),
        jsonb_populate_record(NULL::device_authorizations, w.o) AS r WHERE w.g <> ALL (stale);
  END IF;
  IF batch ? 'oldAuthorizations' THEN
    INSERT INTO device_authorizations
    SELECT r.* FROM jsonb_to_recordset(batch->'oldAuthorizations') AS w(g integer, o jsonb),
        jsonb_populate_record(NULL::device_authorizations, w.o) AS r WHERE w.g <> ALL (stale)
    ON CONFLICT (device_code_hash) DO UPDATE SET
      user_code_hash = excluded.user_code_hash, tenant_id = excluded.tenant_id, oauth_client_id = excluded.oauth_client_id,
      requested_scopes = excluded.requested_scopes, pop_key_id = excluded.pop_key_id, state = excluded.state,
      revision = excluded.revision, created_at = excluded.created_at, expires_at = excluded.expires_at,
      interval_seconds = excluded.interval_seconds, last_poll_at = excluded.last_poll_at,
      approver_id = excluded.approver_id, approved_scopes = excluded.approved_scopes, consumption = excluded.consumption;
  END IF;
  IF batch ? 'newUserCodes' THEN
    INSERT INTO user_codes (user_code_hash, device_code_hash)
    SELECT w.u, w.h FROM jsonb_to_recordset(batch->'newUserCodes') AS w(g integer, u text, h text) WHERE w.g <> ALL (stale);
  END IF;
  FOR each IN SELECT * FROM jsonb_to_recordset(batch->'oldUserCodes') AS w(g integer, u text, h text) WHERE w.g <> ALL (stale) LOOP
    UPDATE user_codes SET device_code_hash = each.h WHERE user_code_hash = each.u;
  END LOOP;
  IF batch ? 'grants' THEN
    INSERT INTO grants
    SELECT r.* FROM jsonb_to_recordset(batch->'grants') AS w(g integer, o jsonb),
        jsonb_populate_record(NULL::grants, w.o) AS r WHERE w.g <> ALL (stale);
    INSERT INTO tokens (token_id, grant_id)
    SELECT t.id, r.grant_id FROM jsonb_to_recordset(batch->'grants') AS w(g integer, o jsonb),
        jsonb_populate_record(NULL::grants, w.o) AS r,
        LATERAL (VALUES (r.access_token_id), (r.broker_token_id)) AS t(id)
      WHERE t.id <> '' AND w.g <> ALL (stale);
  END IF;
  IF batch ? 'revocations' THEN
    INSERT INTO revocations (subject_id, at)
    SELECT w.id, w.at FROM jsonb_to_recordset(batch->'revocations') AS w(g integer, id text, at bigint)
      WHERE w.g <> ALL (stale)
    ON CONFLICT DO NOTHING;
  END IF;
  IF batch ? 'newClients' THEN
    -- Who registered an OAuth client, and when, never changes.
    INSERT INTO oauth_clients
    SELECT r.* FROM jsonb_to_recordset(batch->'newClients') AS w(g integer, o jsonb),
        jsonb_populate_record(NULL::oauth_clients, w.o) AS r WHERE w.g <> ALL (stale)
    ON CONFLICT (tenant_id, oauth_client_id) DO UPDATE SET name = excluded.name,
      allowed_operations = excluded.allowed_operations, enabled = excluded.enabled, redirect_uris = excluded.redirect_uris,
      grant_types = excluded.grant_types, require_pushed_authorization_requests = excluded.require_pushed_authorization_requests,
      revision = oauth_clients.revision + 1;
  END IF;
  IF batch ? 'newPrincipals' THEN
    INSERT INTO principals (tenant_id, principal_id, active)
    SELECT w.t, w.p, w.active
      FROM jsonb_to_recordset(batch->'newPrincipals') AS w(g integer, t text, p text, active boolean)
      WHERE w.g <> ALL (stale)
    ON CONFLICT (tenant_id, principal_id) DO UPDATE SET active = excluded.active;
  END IF;
  IF batch ? 'newRecords' THEN
    INSERT INTO records
    SELECT r.* FROM jsonb_to_recordset(batch->'newRecords') AS w(g integer, o jsonb),
        jsonb_populate_record(NULL::records, w.o) AS r WHERE w.g <> ALL (stale);
  END IF;
  IF batch ? 'oldRecords' THEN
    INSERT INTO records
    SELECT r.* FROM jsonb_to_recordset(batch->'oldRecords') AS w(g integer, o jsonb),
        jsonb_populate_record(NULL::records, w.o) AS r WHERE w.g <> ALL (stale)
    ON CONFLICT (collection, key) DO UPDATE SET
      tenant_id = excluded.tenant_id, principal_id = excluded.principal_id, oauth_client_id = excluded.oauth_client_id,
      value = excluded.value, revision = excluded.revision, created_at = excluded.created_at, expires_at = excluded.expires_at;
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
