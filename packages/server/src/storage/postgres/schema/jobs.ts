import { required } from "./checksum.js";

/** The functions that the jobs and the check of a process call. */
export const jobs = `
-- Creates the partitions of the audit trail for this month and the next six, so that each is attached while it is empty. Attaching does
-- not block inserts into other partitions: that is why a partition is not created with PARTITION OF. It gives up after a second if
-- audit_other_months is locked, and leaves a month that has rows there.
CREATE FUNCTION platform_create_audit_months() RETURNS void LANGUAGE plpgsql VOLATILE
SET lock_timeout = '1s'
AS $$
DECLARE
  begins timestamp;
  name text;
  first bigint;
  beyond bigint;
BEGIN
  FOR n IN 0..6 LOOP
    begins := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n);
    name := 'audit_' || to_char(begins, 'YYYY_MM');
    CONTINUE WHEN to_regclass(name) IS NOT NULL;
    -- The lock of migrations: another process is creating it.
    EXIT WHEN NOT pg_try_advisory_xact_lock(1886151028);
    CONTINUE WHEN to_regclass(name) IS NOT NULL;
    first := extract(epoch FROM begins) * 1000;
    beyond := extract(epoch FROM begins + interval '1 month') * 1000;
    CONTINUE WHEN EXISTS (SELECT FROM audit_other_months WHERE at >= first AND at < beyond);
    EXECUTE format('CREATE TABLE %I (LIKE audit INCLUDING DEFAULTS INCLUDING GENERATED)', name);
    EXECUTE format('ALTER TABLE audit ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', name, first, beyond);
  END LOOP;
EXCEPTION WHEN lock_not_available THEN
  RETURN;
END $$;

SELECT platform_create_audit_months();

-- Removes expired records: see Storage.purge. It skips rows that another transaction has locked, so it never waits and cannot be part of
-- a deadlock. A batch that has read a removed row finds another revision at its commit, and is decided again.
CREATE FUNCTION platform_purge(expired_before bigint, count integer) RETURNS integer LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  removed integer;
  ok boolean;
BEGIN
  WITH expired AS (
    SELECT tenant_id, collection, key FROM records
      WHERE expires_at < expired_before ORDER BY expires_at LIMIT count FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM records USING expired
      WHERE records.tenant_id = expired.tenant_id AND records.collection = expired.collection AND records.key = expired.key
      RETURNING ${required("records", "records")} AS ok
  )
  SELECT count(*), bool_and(d.ok IS TRUE) INTO removed, ok FROM deleted AS d;
  PERFORM platform_require(ok);
  RETURN removed;
END $$;

-- Checks whether the server can write. It writes 1 MiB to a temporary file, more than work_mem, because a full disk fails only writes
-- that need new space. Then it commits a row: so it waits for synchronous standbys, as any commit. If a check of another process waits
-- already, it fails after 2 s, so that checks do not use up the connections of a server that does not commit.
CREATE FUNCTION platform_check() RETURNS void LANGUAGE plpgsql SET work_mem = '64kB' SET lock_timeout = '2s' AS $$
BEGIN
  PERFORM count(*) FROM (
    WITH mebibyte AS MATERIALIZED (SELECT repeat(' ', 8192) FROM generate_series(1, 128))
    SELECT FROM mebibyte
  ) AS written;
  INSERT INTO leases VALUES ('check', '', platform_now())
  ON CONFLICT (name) DO UPDATE SET until = excluded.until;
END $$;
`;
