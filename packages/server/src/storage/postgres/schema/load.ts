/**
 * Loads everything that a batch of decisions needs, in one statement: `STABLE`, so all of its queries see one snapshot.
 *
 * Each row is found by a lookup of its own in the primary key, whatever the statistics say: `LATERAL` with `LIMIT` rules out all
 * other joins. The tables of a new database have no statistics, and a plan that reads a whole table would be kept while it grows.
 */
export const load = `
CREATE FUNCTION platform_load(keys jsonb) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  found_items json; found_vaults json; found_codes json; found_tokens json; found_grants json; found_clients json;
  found_principals json; found_records json; found_access json; new_vault_floor bigint;
BEGIN
  IF keys ? 'items' THEN
    SELECT json_agg(json_build_array(k.t, k.v, k.i, k.p, v.retention_days, v.access_revision, v.sequence, v.floor, m.role,
        i.version, i.sequence, i.state, i.updated_at, i.shred_at, i.kind, i.payload_alg, i.payload_version,
        encode(c.content, 'base64'), encode(s.salt, 'base64'))) INTO found_items
      FROM jsonb_to_recordset(keys->'items') AS k(t text, v text, i text, p text)
      LEFT JOIN LATERAL (SELECT * FROM vaults WHERE tenant_id = k.t AND vault_id = k.v LIMIT 1) AS v ON true
      LEFT JOIN LATERAL (SELECT * FROM vault_members WHERE tenant_id = v.tenant_id AND vault_id = v.vault_id AND principal_id = k.p LIMIT 1) AS m ON true
      LEFT JOIN LATERAL (SELECT * FROM items WHERE tenant_id = v.tenant_id AND vault_id = v.vault_id AND item_id = k.i
        AND (k.p IS NULL OR m.role IS NOT NULL) LIMIT 1) AS i ON true
      LEFT JOIN LATERAL (SELECT * FROM contents WHERE tenant_id = i.tenant_id AND vault_id = i.vault_id AND item_id = i.item_id LIMIT 1) AS c ON true
      LEFT JOIN LATERAL (SELECT * FROM content_keys WHERE tenant_id = i.tenant_id AND vault_id = i.vault_id AND item_id = i.item_id LIMIT 1) AS s ON true;
  END IF;
  IF keys ? 'vaults' THEN
    SELECT json_agg(json_build_array(k.t, k.v, v.retention_days, v.access_revision, v.sequence, v.floor)) INTO found_vaults
      FROM jsonb_to_recordset(keys->'vaults') AS k(t text, v text)
      LEFT JOIN LATERAL (SELECT * FROM vaults WHERE tenant_id = k.t AND vault_id = k.v LIMIT 1) AS v ON true;
    SELECT coalesce(max(e.new_vault_floor), 0) INTO new_vault_floor FROM epochs AS e;
  END IF;
  IF keys ? 'codes' THEN
    -- A device code, or the newest device authorization of a user code.
    SELECT json_agg(json_build_object('userCode', k.u, 'deviceCode', coalesce(k.d, u.device_code_hash),
        'authorization', to_json(auth), 'client', to_json(client), 'principal', p.active, 'grant', to_json(granted),
        'revoked', r.subject_id IS NOT NULL)) INTO found_codes
      FROM jsonb_to_recordset(keys->'codes') AS k(u text, d text)
      LEFT JOIN LATERAL (SELECT * FROM user_codes WHERE user_code_hash = k.u LIMIT 1) AS u ON true
      LEFT JOIN LATERAL (SELECT * FROM device_authorizations WHERE device_code_hash = coalesce(k.d, u.device_code_hash) LIMIT 1) AS auth ON true
      LEFT JOIN LATERAL (SELECT * FROM oauth_clients WHERE tenant_id = auth.tenant_id AND oauth_client_id = auth.oauth_client_id LIMIT 1) AS client ON true
      LEFT JOIN LATERAL (SELECT * FROM principals WHERE tenant_id = auth.tenant_id AND principal_id = auth.approver_id LIMIT 1) AS p ON true
      LEFT JOIN LATERAL (SELECT * FROM grants WHERE grant_id = auth.consumption->>'grantId' LIMIT 1) AS granted ON true
      LEFT JOIN LATERAL (SELECT * FROM revocations WHERE subject_id = auth.consumption->>'grantId' LIMIT 1) AS r ON true;
  END IF;
  IF keys ? 'tokens' THEN
    SELECT json_agg(json_build_array(k.id, to_json(g))) INTO found_tokens
      FROM jsonb_to_recordset(keys->'tokens') AS k(id text)
      LEFT JOIN LATERAL (SELECT * FROM tokens WHERE token_id = k.id LIMIT 1) AS t ON true
      LEFT JOIN LATERAL (SELECT * FROM grants WHERE grant_id = t.grant_id LIMIT 1) AS g ON true;
  END IF;
  IF keys ? 'grants' THEN
    SELECT json_agg(json_build_array(k.id, to_json(g), r.subject_id IS NOT NULL)) INTO found_grants
      FROM jsonb_to_recordset(keys->'grants') AS k(id text)
      LEFT JOIN LATERAL (SELECT * FROM grants WHERE grant_id = k.id LIMIT 1) AS g ON true
      LEFT JOIN LATERAL (SELECT * FROM revocations WHERE subject_id = k.id LIMIT 1) AS r ON true;
  END IF;
  IF keys ? 'clients' THEN
    SELECT json_agg(json_build_array(k.t, k.c, to_json(client))) INTO found_clients
      FROM jsonb_to_recordset(keys->'clients') AS k(t text, c text)
      LEFT JOIN LATERAL (SELECT * FROM oauth_clients WHERE tenant_id = k.t AND oauth_client_id = k.c LIMIT 1) AS client ON true;
  END IF;
  IF keys ? 'principals' THEN
    SELECT json_agg(json_build_array(k.t, k.p, p.active)) INTO found_principals
      FROM jsonb_to_recordset(keys->'principals') AS k(t text, p text)
      LEFT JOIN LATERAL (SELECT * FROM principals WHERE tenant_id = k.t AND principal_id = k.p LIMIT 1) AS p ON true;
  END IF;
  IF keys ? 'records' THEN
    SELECT json_agg(json_build_array(k.c, k.k, to_json(r), p.active, to_json(client))) INTO found_records
      FROM jsonb_to_recordset(keys->'records') AS k(c text, k text)
      LEFT JOIN LATERAL (SELECT * FROM records WHERE collection = k.c AND key = k.k LIMIT 1) AS r ON true
      LEFT JOIN LATERAL (SELECT * FROM principals WHERE tenant_id = r.tenant_id AND principal_id = r.principal_id LIMIT 1) AS p ON true
      LEFT JOIN LATERAL (SELECT * FROM oauth_clients WHERE tenant_id = r.tenant_id AND oauth_client_id = r.oauth_client_id LIMIT 1) AS client ON true;
  END IF;
  IF keys ? 'access' THEN
    SELECT json_agg(json_build_array(k.n, to_json(client), p.active,
        EXISTS (SELECT FROM revocations r WHERE r.subject_id IN (k.j, k.g))
          OR (k.g <> '' AND NOT EXISTS (SELECT FROM grants g WHERE g.grant_id = k.g)))) INTO found_access
      FROM jsonb_to_recordset(keys->'access') AS k(n integer, t text, p text, c text, j text, g text)
      LEFT JOIN LATERAL (SELECT * FROM oauth_clients WHERE tenant_id = k.t AND oauth_client_id = k.c LIMIT 1) AS client ON true
      LEFT JOIN LATERAL (SELECT * FROM principals WHERE tenant_id = k.t AND principal_id = k.p LIMIT 1) AS p ON true;
  END IF;
  RETURN json_build_object('items', found_items, 'vaults', found_vaults, 'codes', found_codes, 'tokens', found_tokens, 'grants', found_grants,
    'clients', found_clients, 'principals', found_principals, 'records', found_records, 'access', found_access, 'newVaultFloor', new_vault_floor);
END $$;
`;
