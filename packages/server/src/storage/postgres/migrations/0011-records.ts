/**
 * Adds records, the small documents of an application, and who registered an OAuth client.
 *
 * Keys are compared by their bytes, in every database. One index lists the records of a principal, in the order of their keys. The
 * other finds what has expired; records that never expire are not in it.
 *
 * The functions complement those that load, commit and purge everything else: a batch calls them in the same statement if it has
 * records or OAuth clients. All other batches cost what they did.
 *
 * - `platform_load_records_1` loads in the view of `platform_load`, because both are STABLE.
 * - `platform_compare_records_1` runs before `platform_commit`. It locks and compares the records that the batch has read, and returns
 *   the batch with a fact that does not exist for each group that has read something else, so that the commit finds it stale.
 * - `platform_write_records_1` runs after `platform_commit`, and writes the groups that are not stale.
 */
export const records = `
CREATE TABLE records (
  collection text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  tenant_id text NOT NULL,
  principal_id text NOT NULL,
  oauth_client_id text NOT NULL,
  value text NOT NULL,
  revision bigint NOT NULL CHECK (revision >= 1),
  created_at bigint NOT NULL,
  expires_at bigint,
  PRIMARY KEY (collection, key)
);

CREATE INDEX records_by_principal ON records (collection, tenant_id, principal_id, key);
CREATE INDEX records_by_expiry ON records (expires_at) WHERE expires_at IS NOT NULL;

ALTER TABLE oauth_clients ADD COLUMN registered_at bigint NOT NULL DEFAULT 0, ADD COLUMN registered_by text NOT NULL DEFAULT '';

CREATE FUNCTION platform_load_records_1(keys jsonb) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  found_records json;
BEGIN
  SELECT json_agg(json_build_array(k.c, k.k, to_json(r), p.active, to_json(client))) INTO found_records
    FROM jsonb_to_recordset(keys->'records') AS k(c text, k text)
    LEFT JOIN LATERAL (SELECT * FROM records WHERE collection = k.c AND key = k.k LIMIT 1) AS r ON true
    LEFT JOIN LATERAL (SELECT * FROM principals WHERE tenant_id = r.tenant_id AND principal_id = r.principal_id LIMIT 1) AS p ON true
    LEFT JOIN LATERAL (SELECT * FROM oauth_clients WHERE tenant_id = r.tenant_id AND oauth_client_id = r.oauth_client_id LIMIT 1) AS client ON true;
  RETURN found_records;
END $$;

CREATE FUNCTION platform_compare_records_1(batch jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET lock_timeout = '5s'
AS $$
DECLARE
  moved jsonb;
BEGIN
  PERFORM FROM jsonb_to_recordset(batch->'records') AS d(c text, k text),
    LATERAL (SELECT FROM records WHERE collection = d.c AND key = d.k FOR UPDATE) AS locked;
  SELECT jsonb_agg(jsonb_build_object('g', d.g, 'name', '', 'r', 0)) INTO moved
    FROM jsonb_to_recordset(batch->'records') AS d(g integer, c text, k text, r bigint)
    LEFT JOIN LATERAL (SELECT * FROM records WHERE collection = d.c AND key = d.k LIMIT 1) AS x ON true
    WHERE x.revision IS DISTINCT FROM d.r;
  IF moved IS NULL THEN
    RETURN batch;
  END IF;
  RETURN jsonb_set(batch, '{facts}', coalesce(batch->'facts', '[]') || moved);
END $$;

CREATE FUNCTION platform_write_records_1(batch jsonb, committed json) RETURNS json LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET lock_timeout = '5s'
AS $$
DECLARE
  stale integer[];
  each record;
BEGIN
  SELECT coalesce(array_agg(g::integer), '{}') INTO stale FROM json_array_elements_text(committed->'stale') AS g;
  INSERT INTO records
  SELECT r.* FROM jsonb_to_recordset(batch->'newRecords') AS w(g integer, o jsonb),
      jsonb_populate_record(NULL::records, w.o) AS r
    WHERE w.g <> ALL (stale);
  INSERT INTO records
  SELECT r.* FROM jsonb_to_recordset(batch->'oldRecords') AS w(g integer, o jsonb),
      jsonb_populate_record(NULL::records, w.o) AS r
    WHERE w.g <> ALL (stale)
  ON CONFLICT (collection, key) DO UPDATE SET
    tenant_id = excluded.tenant_id, principal_id = excluded.principal_id, oauth_client_id = excluded.oauth_client_id,
    value = excluded.value, revision = excluded.revision, created_at = excluded.created_at, expires_at = excluded.expires_at;
  -- An OAuth client has the revision 1 only if this batch has created it.
  FOR each IN SELECT * FROM jsonb_to_recordset(batch->'registrations') AS w(g integer, t text, c text, at bigint, p text)
      WHERE w.g <> ALL (stale) LOOP
    UPDATE oauth_clients SET registered_at = each.at, registered_by = each.p
      WHERE tenant_id = each.t AND oauth_client_id = each.c AND revision = 1;
  END LOOP;
  RETURN committed;
END $$;

CREATE FUNCTION platform_purge_records_1(expired_before bigint, count integer) RETURNS integer LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  each record;
  removed integer := 0;
BEGIN
  FOR each IN SELECT collection AS c, key AS k FROM records
      WHERE expires_at < expired_before ORDER BY expires_at LIMIT count FOR UPDATE SKIP LOCKED LOOP
    DELETE FROM records WHERE collection = each.c AND key = each.k;
    removed := removed + 1;
  END LOOP;
  RETURN removed;
END $$;
`;
