/**
 * Adds what members read: the vaults of a principal, in the order of the bytes of their ids, and the changes of a vault for a member.
 * The membership and the changes are read in one view, because both functions are STABLE.
 */
export const vaultsOfMembers = `
CREATE INDEX vault_members_by_principal ON vault_members (tenant_id, principal_id, vault_id COLLATE "C");

CREATE FUNCTION platform_list_vaults_1(t text, p text, after text, count integer) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  listed json;
BEGIN
  SELECT json_agg(json_build_object('vaultId', m.vault_id, 'role', m.role, 'retentionDays', v.retention_days, 'head', v.sequence)
      ORDER BY m.vault_id COLLATE "C") INTO listed
    FROM (
      SELECT * FROM vault_members WHERE tenant_id = t AND principal_id = p AND vault_id COLLATE "C" > after
        ORDER BY vault_id COLLATE "C" LIMIT count
    ) AS m
    JOIN LATERAL (SELECT * FROM vaults WHERE tenant_id = t AND vault_id = m.vault_id LIMIT 1) AS v ON true;
  RETURN coalesce(listed, '[]');
END $$;

CREATE FUNCTION platform_list_changes_of_member_1(t text, v text, p text, after bigint, count integer, bytes float8)
RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  PERFORM FROM vault_members WHERE tenant_id = t AND vault_id = v AND principal_id = p;
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN platform_list_changes_1(t, v, after, count, bytes);
END $$;
`;
