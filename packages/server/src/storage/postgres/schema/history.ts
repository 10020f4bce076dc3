import { sound } from "./checksum.js";

/**
 * What the database knows of its history, so that a process notices when it is another database, or an older state of the same one.
 *
 * The oids change when a dump is restored, and the system identifier when it is another server. Rows that were read once are never
 * missing later. The newest row and seal are found from the newest position that was assigned: index scans are off, so that a row is found
 * with the BRIN index. The cost of a scan that is off would let PostgreSQL compile the statements, which takes seconds.
 */
export const history = `
CREATE FUNCTION platform_audit_digest(a audit) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(convert_to(platform_audit_row(a)::text, 'UTF8')), 'hex')
$$;

CREATE FUNCTION platform_history(known_row bigint, known_seal bigint, known_changes json, prefixes text[], most bigint) RETURNS json LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_indexscan = off SET max_parallel_workers_per_gather = 0 SET jit = off
AS $$
DECLARE
  newest bigint;
  sealed bigint;
  assigned bigint := (SELECT last_value FROM audit_positions);
  width bigint := 1000;
  server text;
  timeline text;
BEGIN
  LOOP
    newest := (SELECT position FROM audit WHERE position > assigned - width ORDER BY position DESC LIMIT 1);
    EXIT WHEN newest IS NOT NULL OR width > assigned;
    width := 10 * width;
  END LOOP;
  width := 1000;
  LOOP
    sealed := (SELECT max(position) FROM audit_seals WHERE position > assigned - width);
    EXIT WHEN sealed IS NOT NULL OR width > assigned;
    width := 10 * width;
  END LOOP;
  BEGIN
    server := (SELECT system_identifier FROM pg_control_system());
    timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8);
  EXCEPTION WHEN insufficient_privilege OR object_not_in_prerequisite_state OR feature_not_supported THEN
    NULL;
  END;
  RETURN json_build_object(
    'installation', (SELECT at::text FROM schema_version ORDER BY version LIMIT 1),
    'primary', NOT pg_is_in_recovery(),
    'database', concat_ws('/', server, (SELECT oid FROM pg_database WHERE datname = current_database()), 'audit'::regclass::oid),
    'timeline', timeline,
    'announcedAt', (SELECT coalesce(max(began_at), 0) FROM epochs AS e HAVING platform_require(bool_and((${sound("epochs", "e")}) IS TRUE))),
    'newest', (SELECT json_build_array(position, platform_audit_digest(audit), at) FROM audit WHERE position = newest),
    'sealed', (SELECT json_build_array(position, platform_seal_trail(audit_seals)) FROM audit_seals WHERE position = sealed),
    'rowDigest', (SELECT platform_audit_digest(audit) FROM audit WHERE position = known_row),
    'sealTrail', (SELECT platform_seal_trail(audit_seals) FROM audit_seals WHERE position = known_seal),
    'lostChange', (SELECT change FROM json_array_elements(known_changes) AS change WHERE NOT EXISTS (
      SELECT FROM changes WHERE tenant_id = change->>'tenantId' AND vault_id = change->>'vaultId'
        AND sequence = (change->>'sequence')::bigint AND item_id = change->>'itemId' AND version = (change->>'version')::bigint)
      -- The history of a tenant that has left may be removed, and may not have arrived yet when it comes back.
      AND NOT EXISTS (SELECT FROM tenants AS t WHERE t.tenant_id = change->>'tenantId' AND t.state IN ('moved', 'arriving')
        AND platform_require(${sound("tenants", "t")})) LIMIT 1),
    'events', (SELECT coalesce(json_agg(json_build_array(position, at, subject, event) ORDER BY position), '[]') FROM audit
      WHERE position > greatest(known_row, newest - most) AND position <= newest AND subject LIKE ANY (prefixes)
      HAVING platform_require(bool_and((${sound("audit", "audit")}) IS TRUE))));
END $$;
`;
