/**
 * Lists what changed in a vault after a position, in one view. The history leads to the items, and an entry that a later change of
 * the same item has replaced is skipped.
 *
 * It returns one item more than fits in the page, if there is one: the limit is exact, and the bytes are those of the contents alone.
 */
export const listChanges = `
CREATE FUNCTION platform_list_changes_1(t text, v text, after bigint, count integer, bytes float8)
RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  vault vaults;
  listed json;
BEGIN
  SELECT * INTO vault FROM vaults WHERE tenant_id = t AND vault_id = v;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT json_agg(json_build_array(p.item_id, p.version, p.sequence, p.state, p.updated_at, p.shred_at, p.kind, p.payload_alg,
      p.payload_version, encode(p.content, 'base64'), encode(p.salt, 'base64')) ORDER BY p.sequence) INTO listed
    FROM (
      SELECT i.*, c.content, s.salt, sum(octet_length(c.content)) OVER (ORDER BY i.sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS before
        FROM (
          SELECT i.* FROM changes h
            JOIN LATERAL (SELECT * FROM items WHERE tenant_id = t AND vault_id = v AND item_id = h.item_id LIMIT 1) AS i
              ON i.sequence = h.sequence
            WHERE h.tenant_id = t AND h.vault_id = v AND h.sequence > after
            ORDER BY h.sequence LIMIT count + 1
        ) AS i
        LEFT JOIN LATERAL (SELECT * FROM contents WHERE tenant_id = t AND vault_id = v AND item_id = i.item_id LIMIT 1) AS c ON true
        LEFT JOIN LATERAL (SELECT * FROM content_keys WHERE tenant_id = t AND vault_id = v AND item_id = i.item_id LIMIT 1) AS s ON true
    ) AS p
    WHERE coalesce(p.before, 0) <= bytes;
  RETURN json_build_object('days', vault.retention_days, 'access', vault.access_revision, 'head', vault.sequence,
    'reached', after <= vault.sequence AND (after = 0 OR after >= vault.floor OR EXISTS (
      SELECT FROM changes WHERE tenant_id = t AND vault_id = v AND sequence = after)),
    'items', listed);
END $$;
`;
