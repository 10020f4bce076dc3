/**
 * Creates the partitions of the audit trail for this month and the next six, so that each is attached while it is empty.
 *
 * Attaching does not block inserts into other partitions: that is why a partition is not created with PARTITION OF. It gives up
 * after a second if `audit_other_months` is locked, and leaves a month that has rows there.
 */
export const auditMonths = `
CREATE FUNCTION platform_create_audit_months_1() RETURNS void LANGUAGE plpgsql VOLATILE
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
    EXECUTE format('CREATE TABLE %I (LIKE audit INCLUDING DEFAULTS)', name);
    EXECUTE format('ALTER TABLE audit ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', name, first, beyond);
  END LOOP;
EXCEPTION WHEN lock_not_available THEN
  RETURN;
END $$;

SELECT platform_create_audit_months_1();
`;
