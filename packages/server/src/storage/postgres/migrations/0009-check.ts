/**
 * Checks whether the server can write. It writes 1 MiB to a temporary file, more than `work_mem`, because a full disk fails only
 * writes that need new space. Then it commits a row: so it waits for synchronous standbys, as any commit. If a check of another
 * process waits already, it fails after 2 s, so that checks do not use up the connections of a server that does not commit.
 */
export const check = `
CREATE FUNCTION platform_check_1() RETURNS void LANGUAGE plpgsql SET work_mem = '64kB' SET lock_timeout = '2s' AS $$
BEGIN
  PERFORM count(*) FROM (
    WITH mebibyte AS MATERIALIZED (SELECT repeat(' ', 8192) FROM generate_series(1, 128))
    SELECT FROM mebibyte
  ) AS written;
  INSERT INTO leases VALUES ('check', '', platform_now_1())
  ON CONFLICT (name) DO UPDATE SET until = excluded.until;
END $$;
`;
