import { columnsOf, required, sound } from "./checksum.js";
import { recordsVersion } from "./queries.js";

/**
 * The functions of the audit trail, whose rows are sealed in rounds.
 *
 * Positions are assigned before the commit, so that a lower one can become visible after a higher one. `platform_settled_audit`
 * returns a position up to which no row can appear any more: it waits for the transactions that have inserted rows, and none waits
 * for it. An insert locks the table before it takes a position, and until its transaction ends.
 */
export const audit = `
-- Returns 0 if a transaction does not end in time.
CREATE FUNCTION platform_settled_audit() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  newest bigint := (SELECT last_value FROM audit_positions);
  gives_up timestamptz := clock_timestamp() + interval '2 s';
  writers text[] := ARRAY(SELECT virtualtransaction FROM pg_locks
    WHERE relation = 'audit'::regclass AND mode = 'RowExclusiveLock' AND granted);
BEGIN
  WHILE EXISTS (SELECT FROM pg_locks
    WHERE relation = 'audit'::regclass AND mode = 'RowExclusiveLock' AND virtualtransaction = ANY (writers)) LOOP
    IF clock_timestamp() > gives_up THEN RETURN 0; END IF;
    PERFORM pg_sleep(0.002);
  END LOOP;
  RETURN newest;
END $$;

-- Returns the rows after one position up to another, the lowest first, at most the given number. Positions may have gaps.
CREATE FUNCTION platform_audit_rows(after bigint, until bigint, most integer) RETURNS SETOF audit LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_indexscan = off SET max_parallel_workers_per_gather = 0 SET jit = off
AS $$
DECLARE
  low bigint := after;
  width bigint := most;
  missing integer := most;
  found integer;
BEGIN
  WHILE missing > 0 AND low < until LOOP
    RETURN QUERY SELECT * FROM audit
      WHERE position > low AND position <= least(low + width, until) ORDER BY position LIMIT missing;
    GET DIAGNOSTICS found = ROW_COUNT;
    missing := missing - found;
    low := low + width;
    width := 3 * width;
  END LOOP;
END $$;

CREATE FUNCTION platform_unchecked_row(a audit) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_array(a.position, a.at, a.subject_tenant_id, a.subject, a.event, a.version_before, a.version_after,
    a.tenant_id, a.principal_id, a.oauth_client_id, a.token_id, a.operation, a.request_id)
$$;

CREATE FUNCTION platform_audit_row(a audit) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN ${required("audit", "a")} THEN platform_unchecked_row(a) END
$$;

CREATE FUNCTION platform_seal_trail(s audit_seals) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN ${required("audit_seals", "s")} THEN s.trail END
$$;

-- Returns the oldest rows without a seal, at most the given number, and the newest seals of their tenants.
CREATE FUNCTION platform_unsealed_audit(most integer) RETURNS json LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  settled bigint := platform_settled_audit();
  sealed bigint := coalesce((SELECT max(position) FROM audit_seals), 0);
  found json;
  tenants text[];
BEGIN
  SELECT json_agg(platform_audit_row(a) ORDER BY a.position), array_agg(DISTINCT a.subject_tenant_id) INTO found, tenants
    FROM platform_audit_rows(sealed, settled, most) AS a;
  RETURN json_build_object(
    'after', sealed,
    'trail', (SELECT platform_seal_trail(audit_seals) FROM audit_seals WHERE position = sealed),
    'rows', coalesce(found, '[]'),
    'heads', (SELECT coalesce(json_object_agg(tenant, json_build_array(position, digest)), '{}')
      FROM unnest(tenants) AS tenant, LATERAL (
        SELECT position, digest FROM (
          (SELECT position, CASE WHEN ${required("audit_seals", "audit_seals")} THEN digest END AS digest FROM audit_seals WHERE subject_tenant_id = tenant
            ORDER BY subject_tenant_id DESC, position DESC LIMIT 1)
          UNION ALL
          (SELECT position, CASE WHEN ${required("arrived_audit_seals", "s")} THEN digest END FROM arrived_audit_seals AS s WHERE subject_tenant_id = tenant
            ORDER BY subject_tenant_id DESC, position DESC LIMIT 1)
        ) AS last ORDER BY position DESC LIMIT 1) AS newest));
END $$;

-- Appends seals, unless another process has sealed the same rows. Returns whether they were appended.
CREATE FUNCTION platform_seal_audit(after bigint, seals json) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  -- "seal" in ASCII.
  IF NOT pg_try_advisory_xact_lock(1936024940) THEN RETURN false; END IF;
  IF after <> coalesce((SELECT max(position) FROM audit_seals), 0) THEN RETURN false; END IF;
  INSERT INTO audit_seals (${columnsOf("audit_seals")}) SELECT ${columnsOf("audit_seals")} FROM json_populate_recordset(NULL::audit_seals, seals);
  RETURN true;
END $$;

-- Returns the sealed rows after a position, at most the given number, and the seals up to the last of them: as they are, because their
-- reader compares the digests, and those of a damaged one name it. The first damaged one is returned, too.
CREATE FUNCTION platform_read_audit(after bigint, most integer) RETURNS json LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  sealed bigint := coalesce((SELECT max(position) FROM audit_seals), 0);
  found json;
  last bigint;
  number integer;
  agrees boolean;
  damaged bigint;
BEGIN
  SELECT json_agg(platform_unchecked_row(a) ORDER BY a.position), max(a.position), count(*),
      bool_and(NOT (${sound("audit", "a")}) OR ${recordsVersion("a")}), min(a.position) FILTER (WHERE (${sound("audit", "a")}) IS NOT TRUE)
    INTO found, last, number, agrees, damaged FROM platform_audit_rows(after, sealed, most) AS a;
  PERFORM platform_require(agrees);
  IF number < most THEN last := sealed; END IF;
  RETURN json_build_object(
    'rows', coalesce(found, '[]'),
    'position', last,
    'damagedRow', coalesce('audit [' || damaged || ']', (SELECT 'audit_seals [' || min(position) || ']' FROM audit_seals AS s
      WHERE position > after AND position <= last AND (${sound("audit_seals", "s")}) IS NOT TRUE)),
    'hasMore', last < sealed,
    'unsealed', CASE WHEN last < sealed THEN 0 ELSE
      (SELECT count(*) FROM audit WHERE position > sealed AND position <= (SELECT last_value FROM audit_positions)) END,
    'seals', (SELECT coalesce(json_agg(json_build_array(subject_tenant_id, previous_position, position, row_count, month,
        previous_digest, digest, previous_trail, trail, follows_arrival) ORDER BY position), '[]')
      FROM (SELECT s.*, coalesce(arrived.digest, previous.digest) AS previous_digest, arrived.digest IS NOT NULL AS follows_arrival, lag(s.trail, 1,
            (SELECT trail FROM audit_seals WHERE position <= after ORDER BY position DESC LIMIT 1)) OVER (ORDER BY s.position)
            AS previous_trail
        FROM audit_seals AS s LEFT JOIN LATERAL (SELECT digest FROM audit_seals
          WHERE subject_tenant_id = s.subject_tenant_id AND position = s.previous_position LIMIT 1) AS previous ON true
        LEFT JOIN LATERAL (SELECT digest FROM arrived_audit_seals WHERE previous.digest IS NULL
          AND subject_tenant_id = s.subject_tenant_id AND position = s.previous_position LIMIT 1) AS arrived ON true
        WHERE s.position > after AND s.position <= last) AS linked));
END $$;

-- Lists the audit trail of a tenant, the newest rows first. The primary key of each partition begins with the tenant and the position:
-- without other plans, only as many rows are read as are listed, also before the first ANALYZE.
CREATE FUNCTION platform_list_audit(t text, before bigint, most integer) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
AS $$
DECLARE
  listed json;
  older json;
  rest integer;
  arrived bigint := coalesce((SELECT max(position) FROM arrived_audit WHERE subject_tenant_id = t), 0);
BEGIN
  SELECT json_agg(platform_audit_row(a)) INTO listed
    FROM (SELECT * FROM audit WHERE subject_tenant_id = t AND position < before AND position > arrived ORDER BY position DESC LIMIT most) AS a;
  rest := most - coalesce(json_array_length(listed), 0);
  IF arrived > 0 AND rest > 0 THEN
    SELECT json_agg(platform_audit_row(ROW(a.*)::audit)) INTO older
      FROM (SELECT * FROM arrived_audit WHERE subject_tenant_id = t AND position < before ORDER BY position DESC LIMIT rest) AS a;
    listed := coalesce(listed::jsonb, '[]') || coalesce(older::jsonb, '[]');
  END IF;
  RETURN coalesce(listed, '[]');
END $$;
`;
