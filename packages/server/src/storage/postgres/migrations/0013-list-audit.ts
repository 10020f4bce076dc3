/**
 * Lists the audit trail of a tenant, the newest rows first. The primary key of each partition begins with the tenant and the position:
 * without other plans, only as many rows are read as are listed, also before the first ANALYZE.
 */
export const listAudit = `
CREATE FUNCTION platform_list_audit_1(t text, before bigint, most integer) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
AS $$
DECLARE
  listed json;
BEGIN
  SELECT json_agg(platform_audit_row_1(a)) INTO listed
    FROM (SELECT * FROM audit WHERE subject_tenant_id = t AND position < before ORDER BY position DESC LIMIT most) AS a;
  RETURN coalesce(listed, '[]');
END $$;
`;
