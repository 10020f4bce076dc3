/**
 * Removes expired device authorizations and grants: see `Storage.purge`.
 *
 * It skips rows that another transaction has locked, so it never waits and cannot be part of a deadlock. Rows of `tokens` and
 * `revocations` are never locked by others: they are only inserted. A batch that has read a removed row finds another revision at its
 * commit, and is decided again.
 */
export const purge = `
CREATE INDEX device_authorizations_by_expiry ON device_authorizations (expires_at);
CREATE INDEX grants_by_expiry ON grants (expires_at);

CREATE FUNCTION platform_purge_1(expired_before bigint, count integer) RETURNS integer LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  each record;
  removed integer := 0;
BEGIN
  FOR each IN SELECT device_code_hash AS h, user_code_hash AS u FROM device_authorizations
      WHERE expires_at < expired_before ORDER BY expires_at LIMIT count FOR UPDATE SKIP LOCKED LOOP
    DELETE FROM user_codes WHERE user_code_hash = (
      SELECT user_code_hash FROM user_codes WHERE user_code_hash = each.u AND device_code_hash = each.h FOR UPDATE SKIP LOCKED);
    -- A new device authorization is taking over the user code. The next run removes the old one.
    CONTINUE WHEN EXISTS (SELECT FROM user_codes WHERE user_code_hash = each.u AND device_code_hash = each.h);
    DELETE FROM device_authorizations WHERE device_code_hash = each.h;
    removed := removed + 1;
  END LOOP;
  FOR each IN SELECT grant_id AS g, access_token_id AS a, broker_token_id AS b FROM grants
      WHERE expires_at <= (expired_before - 1) / 1000 ORDER BY expires_at LIMIT count FOR UPDATE SKIP LOCKED LOOP
    DELETE FROM revocations WHERE subject_id IN (each.g, each.a, each.b) AND subject_id <> '';
    DELETE FROM tokens WHERE token_id IN (each.a, each.b);
    DELETE FROM grants WHERE grant_id = each.g;
    removed := removed + 1;
  END LOOP;
  RETURN removed;
END $$;
`;
