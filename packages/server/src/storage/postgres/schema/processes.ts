/**
 * What processes share besides the data: rates, wrong guesses and leases. All times are those of the server, in milliseconds, so that
 * the clocks of the processes do not matter.
 *
 * A bucket contains the calls that a caller may make now (`calls`), and counts those that processes have taken ahead (`leased`).
 * They take ahead a tenth of the burst at most, all together: therefore no caller gets more than 1.1 times a rate. Calls that a
 * process has lost are forgotten after 5 s. Buckets are not logged: after a crash of the server they are full.
 */
export const processes = `
CREATE UNLOGGED TABLE rate_buckets (
  key text PRIMARY KEY,
  calls double precision NOT NULL,
  at double precision NOT NULL,
  leased double precision NOT NULL,
  leased_at double precision NOT NULL,
  full_at double precision NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE wrong_guesses (
  key text PRIMARY KEY,
  times double precision[] NOT NULL
);

CREATE TABLE leases (
  name text PRIMARY KEY,
  holder text NOT NULL,
  until double precision NOT NULL
);

CREATE FUNCTION platform_now() RETURNS double precision LANGUAGE sql VOLATILE AS
  'SELECT extract(epoch FROM clock_timestamp())::double precision * 1000';

-- Takes calls from buckets, in the given order, which is the same in each process. Returns for each the number of served and of
-- leased calls, and the time until the next call is available.
CREATE FUNCTION platform_take_calls(requests json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  request record;
  bucket rate_buckets;
  time double precision;
  served double precision;
  ahead double precision;
  result jsonb := '[]';
BEGIN
  FOR request IN
    SELECT * FROM json_to_recordset(requests) AS given (
      key text, waiting double precision, ahead double precision, spent double precision, returned double precision,
      "perMinute" double precision, burst double precision
    )
  LOOP
    SELECT * INTO bucket FROM rate_buckets WHERE key = request.key FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO rate_buckets VALUES (request.key, request.burst, platform_now(), 0, 0, 0)
      ON CONFLICT (key) DO UPDATE SET at = rate_buckets.at RETURNING * INTO bucket;
    END IF;
    time := platform_now();
    bucket.calls := least(
      request.burst,
      bucket.calls + request.returned + greatest(0, time - bucket.at) * request."perMinute" / 60000
    );
    bucket.leased := CASE
      WHEN abs(time - bucket.leased_at) > 5000 THEN 0
      ELSE greatest(0, bucket.leased - request.spent - request.returned)
    END;
    -- The addend makes up for rounding: a caller that waits for as long as it was told finds a call.
    served := least(request.waiting, floor(bucket.calls + 1e-6));
    ahead := greatest(
      0,
      least(request.ahead, floor(bucket.calls - served), floor(request.burst / 10 - bucket.leased))
    );
    bucket.calls := bucket.calls - served - ahead;
    UPDATE rate_buckets SET
      calls = bucket.calls,
      at = time,
      leased = bucket.leased + ahead,
      leased_at = CASE WHEN ahead > 0 THEN time ELSE bucket.leased_at END,
      full_at = time + (request.burst - bucket.calls) * 60000 / request."perMinute"
    WHERE key = request.key;
    result := result || jsonb_build_array(
      jsonb_build_array(served, ahead, ceil(greatest(0, 1 - bucket.calls) * 60000 / request."perMinute"))
    );
  END LOOP;
  RETURN result;
END $$;

-- Removes full buckets: a missing one counts as full. Never waits for a row, so that it cannot deadlock.
CREATE FUNCTION platform_drop_full_buckets() RETURNS integer LANGUAGE sql AS $$
  WITH dropped AS (
    DELETE FROM rate_buckets WHERE key IN (
      SELECT key FROM rate_buckets WHERE full_at < platform_now() - 5000 LIMIT 10000 FOR UPDATE SKIP LOCKED
    ) RETURNING key
  )
  SELECT count(*)::integer FROM dropped
$$;

CREATE FUNCTION platform_recent(times double precision[], window_ms double precision) RETURNS double precision[]
LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(array_agg(t ORDER BY t), '{}') FROM unnest(times) AS t WHERE abs(platform_now() - t) < window_ms
$$;

-- Counts a guess as a miss of each key, unless one of them has reached its limit. Returns whether it was counted.
CREATE FUNCTION platform_guess(limits json, window_ms double precision) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  request record;
  known double precision[];
  blocked boolean := false;
BEGIN
  DELETE FROM wrong_guesses WHERE key IN (
    SELECT key FROM wrong_guesses WHERE platform_recent(times, window_ms) = '{}' LIMIT 100 FOR UPDATE SKIP LOCKED
  );
  FOR request IN SELECT * FROM json_to_recordset(limits) AS given (key text, most integer) LOOP
    INSERT INTO wrong_guesses VALUES (request.key, '{}')
    ON CONFLICT (key) DO UPDATE SET times = platform_recent(wrong_guesses.times, window_ms)
    RETURNING times INTO known;
    blocked := blocked OR cardinality(known) >= request.most;
  END LOOP;
  IF blocked THEN RETURN false; END IF;
  UPDATE wrong_guesses SET times = times || platform_now()
  WHERE key IN (SELECT key FROM json_to_recordset(limits) AS given (key text));
  RETURN true;
END $$;

-- Removes the newest miss of each key.
CREATE FUNCTION platform_pardon(keys json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT json_array_elements_text(keys) LOOP
    UPDATE wrong_guesses SET times = times[1:cardinality(times) - 1] WHERE key = name;
  END LOOP;
END $$;

-- Takes a lease that is free or expired, or renews it. Returns whether the holder has it.
CREATE FUNCTION platform_hold_lease(wanted text, by text, ms double precision) RETURNS boolean LANGUAGE sql AS $$
  INSERT INTO leases VALUES (wanted, by, platform_now() + ms)
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
  WHERE leases.holder = excluded.holder OR leases.until < platform_now() OR leases.until > platform_now() + 2 * ms
  RETURNING true
$$;

CREATE FUNCTION platform_release_lease(wanted text, by text) RETURNS void LANGUAGE sql AS
  'DELETE FROM leases WHERE name = wanted AND holder = by';
`;
