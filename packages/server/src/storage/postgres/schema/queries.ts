import { required } from "./checksum.js";

/** Returns the SQL of whether an item agrees with one of its changes: it has the status of the change, or of a later one. */
export function follows(change: string, item: string): string {
  return `CASE WHEN ${item}.sequence = ${change}.sequence THEN ${item}.version = ${change}.version
    ELSE ${item}.sequence > ${change}.sequence AND ${item}.version > ${change}.version END`;
}

/** Returns the SQL of whether a tenant arrives in this cell, or has left it: then not every row is there. */
export function isIncomplete(tenant: string): string {
  return `EXISTS (SELECT FROM tenants AS y WHERE y.tenant_id = ${tenant} AND y.state IN ('arriving', 'moved'))`;
}

/**
 * Returns the SQL of whether a row of the audit trail agrees with the item whose version it records: that is the item's version, or an
 * earlier one. No id contains a slash. In a cell that a tenant has left, its items are removed.
 */
export function recordsVersion(row: string): string {
  return `(${row}.subject NOT LIKE 'item:%' OR ${row}.version_after <= ${row}.version_before OR EXISTS (SELECT FROM items AS x
    WHERE x.tenant_id = ${row}.subject_tenant_id AND x.vault_id = split_part(substr(${row}.subject, 6), '/', 1)
      AND x.item_id = split_part(${row}.subject, '/', 2) AND x.version >= ${row}.version_after)
    OR ${isIncomplete(`${row}.subject_tenant_id`)})`;
}

/**
 * The functions that list the changes of a vault, and the vaults of a principal. Each is STABLE, so that all of its queries see one view.
 */
export const queries = `
-- Lists what changed in a vault after a position. The history leads to the items, and an entry that a later change of the same item has
-- replaced is skipped. It returns one item more than fits in the page, if there is one: the limit is exact, and the bytes are those of
-- the contents alone.
CREATE FUNCTION platform_list_changes(t text, v text, after bigint, count integer, bytes float8)
RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  vault vaults;
  listed json;
  ok boolean;
  low bigint;
  last bigint;
BEGIN
  SELECT * INTO vault FROM vaults WHERE tenant_id = t AND vault_id = v;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT json_agg(json_build_array(p.item_id, p.version, p.sequence, p.state, p.updated_at, p.shred_at, p.kind, p.payload_alg,
      p.payload_version, encode(p.content, 'base64'), encode(p.salt, 'base64')) ORDER BY p.sequence),
      bool_and((p.ok AND (p.state = 'shredded' OR p.content IS NOT NULL AND p.salt IS NOT NULL)) IS TRUE),
      CASE WHEN max(p.found) > least(count, count(*)) THEN max(p.sequence) ELSE vault.sequence END INTO listed, ok, last
    FROM (
      SELECT i.*, c.content, s.salt, count(*) OVER () AS found, sum(octet_length(c.content)) OVER (ORDER BY i.sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS before
        FROM (
          SELECT i.*, ${required("changes", "h")} AND ${required("items", "i")} AND ${follows("h", "i")} AND i.sequence <= vault.sequence AS ok
            FROM changes h
            LEFT JOIN LATERAL (SELECT * FROM items WHERE tenant_id = t AND vault_id = v AND item_id = h.item_id LIMIT 1) AS i ON true
            WHERE h.tenant_id = t AND h.vault_id = v AND h.sequence > after
              AND (i.sequence = h.sequence OR (${follows("h", "i")}) IS NOT TRUE)
            ORDER BY h.sequence LIMIT count + 1
        ) AS i
        LEFT JOIN LATERAL (SELECT * FROM contents WHERE tenant_id = t AND vault_id = v AND item_id = i.item_id LIMIT 1) AS c ON true
        LEFT JOIN LATERAL (SELECT * FROM content_keys WHERE tenant_id = t AND vault_id = v AND item_id = i.item_id LIMIT 1) AS s ON true
    ) AS p
    WHERE coalesce(p.before, 0) <= bytes;
  -- Sequences of the current epoch have no gap. The rows are read: an index also has entries of rows that damage hides.
  low := greatest(after, vault.floor);
  PERFORM platform_require(ok AND ${required("vaults", "vault")} AND (last <= low OR last - low = (
    SELECT count(*) FROM (
      SELECT h.*, row_number() OVER (ORDER BY sequence) AS place FROM changes AS h
        WHERE tenant_id = t AND vault_id = v AND sequence > low AND sequence <= last
    ) AS h WHERE h.sequence = low + h.place AND ${required("changes", "h")})));
  RETURN json_build_object('days', vault.retention_days, 'access', vault.access_revision, 'head', vault.sequence,
    'reached', after <= vault.sequence AND (after = 0 OR after >= vault.floor OR EXISTS (
      SELECT FROM changes WHERE tenant_id = t AND vault_id = v AND sequence = after)),
    'items', listed);
END $$;

-- The same for a member of the vault. Returns NULL to everyone else.
CREATE FUNCTION platform_list_changes_of_member(t text, v text, p text, after bigint, count integer, bytes float8)
RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  ok boolean;
BEGIN
  SELECT ${required("vault_members", "m")} INTO ok FROM vault_members AS m WHERE tenant_id = t AND vault_id = v AND principal_id = p;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM platform_require(ok);
  RETURN platform_list_changes(t, v, after, count, bytes);
END $$;

-- Lists the vaults of a principal, in the order of the bytes of their ids.
CREATE FUNCTION platform_list_vaults(t text, p text, after text, count integer) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  listed json;
  ok boolean;
BEGIN
  SELECT json_agg(json_build_object('vaultId', m.vault_id, 'role', m.role, 'retentionDays', v.retention_days, 'head', v.sequence)
      ORDER BY m.vault_id COLLATE "C"),
      bool_and((${required("vault_members", "m")} AND ${required("vaults", "v")}) IS TRUE) INTO listed, ok
    FROM (
      SELECT * FROM vault_members WHERE tenant_id = t AND principal_id = p AND vault_id COLLATE "C" > after
        ORDER BY vault_id COLLATE "C" LIMIT count
    ) AS m
    LEFT JOIN LATERAL (SELECT * FROM vaults WHERE tenant_id = t AND vault_id = m.vault_id LIMIT 1) AS v ON true;
  PERFORM platform_require(ok);
  RETURN coalesce(listed, '[]');
END $$;
`;
