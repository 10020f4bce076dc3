/**
 * Adds what OAuth clients register for the authorization code grant. Those of an older database have no redirect URI.
 *
 * `platform_write_records_2` runs after `platform_commit` in place of `platform_write_records_1`, and also writes the new columns. A
 * process of the version before leaves them as they are.
 */
export const redirectUris = `
ALTER TABLE oauth_clients
  ADD COLUMN redirect_uris jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN grant_types jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN require_pushed_authorization_requests boolean NOT NULL DEFAULT false;

CREATE FUNCTION platform_write_records_2(batch jsonb, committed json) RETURNS json LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
SET lock_timeout = '5s'
AS $$
DECLARE
  stale integer[];
  each record;
BEGIN
  PERFORM platform_write_records_1(batch, committed);
  SELECT coalesce(array_agg(g::integer), '{}') INTO stale FROM json_array_elements_text(committed->'stale') AS g;
  FOR each IN SELECT * FROM jsonb_to_recordset(batch->'newClients')
        AS w(g integer, t text, c text, redirects jsonb, grants jsonb, pushed boolean)
      WHERE w.g <> ALL (stale) LOOP
    UPDATE oauth_clients SET redirect_uris = each.redirects, grant_types = each.grants,
        require_pushed_authorization_requests = each.pushed
      WHERE tenant_id = each.t AND oauth_client_id = each.c;
  END LOOP;
  RETURN committed;
END $$;
`;
