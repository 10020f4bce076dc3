import { checksum, sound } from "./checksum.js";

/**
 * The tenants of a cell: a database that serves the tenants that are assigned to it, and refuses all others.
 *
 * Whoever changes the state of a tenant holds its lock alone, and a commit holds it together with others: so a commit that has found
 * the tenant served ends before the state changes, and every later one finds the new state. A read needs no lock. It sees the state in
 * the same view as the data: what it returns was served when the view was taken.
 */
export const tenants = `
CREATE TABLE tenants (
  tenant_id text PRIMARY KEY,
  -- arriving: it is copied to this cell. serving. paused: it can be read, and not written. moved: another cell serves it.
  state text NOT NULL CHECK (state IN ('arriving', 'serving', 'paused', 'moved')),
  -- The other cell of a move. Empty: none.
  peer text NOT NULL,
  revision bigint NOT NULL CHECK (revision >= 1),
  changed_at bigint NOT NULL,
  ${checksum("tenants")}
);

-- Returns true if all tenants may be read, and fails if not.
CREATE FUNCTION platform_may_read(wanted text[]) RETURNS boolean LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  refused boolean;
  ok boolean;
BEGIN
  SELECT bool_or(x.state IS NULL OR x.state NOT IN ('serving', 'paused')), bool_and((x.state IS NULL OR ${sound("tenants", "x")}) IS TRUE)
    INTO refused, ok
    FROM unnest(wanted) AS w LEFT JOIN LATERAL (SELECT * FROM tenants WHERE tenant_id = w LIMIT 1) AS x ON true;
  PERFORM platform_require(ok);
  IF refused THEN
    RAISE EXCEPTION 'this cell does not serve the tenant' USING ERRCODE = 'PT001';
  END IF;
  RETURN true;
END $$;

-- The same for a commit. Then the states do not change until it has ended.
CREATE FUNCTION platform_may_write(wanted text[]) RETURNS boolean LANGUAGE plpgsql VOLATILE
SET lock_timeout = '5s'
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(platform_tenant_lock(w)) FROM unnest(wanted) AS w;
  PERFORM platform_may_read(wanted);
  IF EXISTS (SELECT FROM tenants WHERE tenant_id = ANY (wanted) AND state = 'paused') THEN
    RAISE EXCEPTION 'writes of the tenant are paused, because it moves to another cell' USING ERRCODE = 'PT002';
  END IF;
  RETURN true;
END $$;

-- Returns whether the jobs work on a tenant.
CREATE FUNCTION platform_is_served(t text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  found tenants;
BEGIN
  SELECT * INTO found FROM tenants WHERE tenant_id = t;
  PERFORM platform_require(found.state IS NULL OR ${sound("tenants", "found")});
  RETURN found.state IS NOT DISTINCT FROM 'serving';
END $$;

CREATE FUNCTION platform_tenant_lock(t text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  'SELECT hashtextextended(t, 1667591276)';

-- Changes the state of a tenant that has the expected revision. 0 stands for a tenant without a state. Returns whether it was changed.
CREATE FUNCTION platform_set_tenant(t text, expected bigint, new_state text, new_peer text) RETURNS boolean
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(platform_tenant_lock(t));
  IF expected = 0 THEN
    INSERT INTO tenants (tenant_id, state, peer, revision, changed_at)
    VALUES (t, new_state, new_peer, 1, platform_now()) ON CONFLICT DO NOTHING;
  ELSE
    UPDATE tenants SET state = new_state, peer = new_peer, revision = expected + 1, changed_at = platform_now()
      WHERE tenant_id = t AND revision = expected;
  END IF;
  RETURN FOUND;
END $$;
`;
