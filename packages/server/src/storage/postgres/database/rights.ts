/**
 * Separates the role that owns the tables from the one that the app uses.
 *
 * If the role `platform_app` exists, it gets what the app needs: history, the audit trail and its seals can be read and appended to, and
 * nothing else. What expires is removed, and months of the audit trail are added, by two functions that have the rights of the owner.
 * Their search path is fixed, so that no table of a caller can stand in for one of theirs.
 *
 * It changes nothing when it runs again. Each migration ends with it.
 */
export const rights = `
DO $$
DECLARE
  place text := current_schema();
  owned text;
BEGIN
  FOREACH owned IN ARRAY ARRAY['platform_create_audit_months()', 'platform_purge(bigint, integer)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = %I, pg_temp', owned, place);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', owned);
  END LOOP;
  IF to_regrole('platform_app') IS NULL THEN RETURN; END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO platform_app', place);
  GRANT EXECUTE ON FUNCTION platform_create_audit_months(), platform_purge(bigint, integer) TO platform_app;
  GRANT USAGE, SELECT ON SEQUENCE audit_positions TO platform_app;
  GRANT SELECT ON schema_version, epochs, tenants, arrived_audit, arrived_audit_seals TO platform_app;
  GRANT SELECT, INSERT ON changes, audit, audit_seals TO platform_app;
  GRANT SELECT, INSERT, UPDATE ON vaults, items, records TO platform_app;
  GRANT SELECT, INSERT, UPDATE, DELETE ON
    vault_members, tombstones, contents, content_keys, earlier_contents, rate_buckets, wrong_guesses, leases TO platform_app;
END $$;
`;
