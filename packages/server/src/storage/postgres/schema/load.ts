import { absent, required } from "./checksum.js";

/**
 * Loads everything that a batch of decisions needs, in one statement: `STABLE`, so all of its queries see one snapshot.
 *
 * Each row is found by a separate lookup in the primary key, whatever the statistics say: `LATERAL` with `LIMIT` rules out all
 * other joins. The tables of a new database have no statistics, and a plan that reads a whole table would be kept while it grows.
 *
 * Of an item that is looked for twice, the row with the earlier contents comes first.
 *
 * What one index does not find is looked for with another one: a vault with a member, and a content with an item, exist.
 */
export const load = `
CREATE OR REPLACE FUNCTION platform_load(keys jsonb) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  found_items json; found_vaults json; found_records json; new_vault_floor bigint; ok boolean;
BEGIN
  IF keys ? 'items' THEN
    SELECT json_agg(json_build_array(k.t, k.v, k.i, k.p, v.retention_days, v.access_revision, v.sequence, v.floor, m.role,
        i.version, i.sequence, i.state, i.updated_at, i.shred_at, i.kind, i.payload_alg, i.payload_version,
        encode(c.content, 'base64'), encode(s.salt, 'base64'), k.e, encode(e.earlier, 'base64')) ORDER BY k.e),
        bool_and(((${absent("earlier_contents", "e")} OR ${required("earlier_contents", "e")}) AND (${absent("vaults", "v")} AND ${absent("vault_members", "m")} OR ${required("vaults", "v")}) AND (${absent("vault_members", "m")} OR ${required("vault_members", "m")})
          AND (${absent("items", "i")} AND ${absent("contents", "c")} OR ${required("items", "i")} AND (i.state = 'shredded' OR c.content IS NOT NULL AND s.salt IS NOT NULL))) IS TRUE)
      INTO found_items, ok
      FROM jsonb_to_recordset(keys->'items') AS k(t text, v text, i text, p text, e boolean)
      LEFT JOIN LATERAL (SELECT * FROM vaults WHERE tenant_id = k.t AND vault_id = k.v LIMIT 1) AS v ON true
      LEFT JOIN LATERAL (SELECT * FROM vault_members WHERE tenant_id = k.t AND vault_id = k.v AND principal_id = k.p LIMIT 1) AS m ON true
      LEFT JOIN LATERAL (SELECT * FROM items WHERE tenant_id = v.tenant_id AND vault_id = v.vault_id AND item_id = k.i
        AND (k.p IS NULL OR m.role IS NOT NULL) LIMIT 1) AS i ON true
      LEFT JOIN LATERAL (SELECT * FROM contents WHERE tenant_id = v.tenant_id AND vault_id = v.vault_id AND item_id = k.i
        AND (k.p IS NULL OR m.role IS NOT NULL) LIMIT 1) AS c ON true
      LEFT JOIN LATERAL (SELECT * FROM content_keys WHERE tenant_id = i.tenant_id AND vault_id = i.vault_id AND item_id = i.item_id LIMIT 1) AS s ON true
      LEFT JOIN LATERAL (SELECT * FROM earlier_contents WHERE tenant_id = i.tenant_id AND vault_id = i.vault_id AND item_id = i.item_id AND k.e LIMIT 1) AS e ON true;
    PERFORM platform_require(ok);
  END IF;
  IF keys ? 'vaults' THEN
    SELECT json_agg(json_build_array(k.t, k.v, v.retention_days, v.access_revision, v.sequence, v.floor)),
        bool_and((CASE WHEN ${absent("vaults", "v")} THEN NOT EXISTS (SELECT FROM vault_members WHERE tenant_id = k.t AND vault_id = k.v)
          ELSE ${required("vaults", "v")} END) IS TRUE)
      INTO found_vaults, ok
      FROM jsonb_to_recordset(keys->'vaults') AS k(t text, v text)
      LEFT JOIN LATERAL (SELECT * FROM vaults WHERE tenant_id = k.t AND vault_id = k.v LIMIT 1) AS v ON true;
    PERFORM platform_require(ok);
    SELECT coalesce(max(e.new_vault_floor), 0), bool_and(${required("epochs", "e")}) INTO new_vault_floor, ok FROM epochs AS e;
    PERFORM platform_require(ok);
  END IF;
  IF keys ? 'records' THEN
    -- With the records that they link to, and those that these link to.
    WITH RECURSIVE found AS (
      SELECT k.t, k.c, k.k, 0 AS depth, r.r
        FROM jsonb_to_recordset(keys->'records') AS k(t text, c text, k text)
        LEFT JOIN LATERAL (SELECT records AS r FROM records WHERE tenant_id = k.t AND collection = k.c AND key = k.k LIMIT 1) AS r ON true
      UNION ALL
      SELECT f.t, l->>0, l->>1, f.depth + 1, r.r
        FROM found AS f CROSS JOIN LATERAL jsonb_array_elements((f.r).links) AS l
        LEFT JOIN LATERAL (SELECT records AS r FROM records WHERE tenant_id = f.t AND collection = l->>0 AND key = l->>1 LIMIT 1) AS r ON true
        WHERE f.depth < coalesce((keys->>'depth')::integer, 2)
    )
    SELECT json_agg(json_build_array(t, c, k, (r).principal_id, (r).oauth_client_id, (r).value, (r).revision, (r).created_at,
        (r).expires_at)), bool_and((${absent("records", "(r)")} OR ${required("records", "(r)")}) IS TRUE) INTO found_records, ok FROM found;
    PERFORM platform_require(ok);
  END IF;
  RETURN json_build_object('items', found_items, 'vaults', found_vaults, 'records', found_records, 'newVaultFloor', new_vault_floor);
END $$;
`;
