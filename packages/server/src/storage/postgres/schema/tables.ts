import { checksum } from "./checksum.js";

/**
 * The tables.
 *
 * Every table is keyed by its tenant first, and no foreign key or trigger connects two tables, so that the tables can be distributed by
 * tenant.
 *
 * An item has three rows: its status (`items`), its encrypted content (`contents`), and the salt of the key of that content
 * (`content_keys`). A migration adds the contents that were replaced (`earlier_contents`), encrypted with the same key. No other table
 * contains content: neither the history nor the audit trail.
 *
 * Every row has a checksum, which every function that reads it compares: `platform_require` ends the statement with the error
 * data_corrupted.
 */
export const tables = `
CREATE TABLE vaults (
  tenant_id text NOT NULL,
  vault_id text NOT NULL,
  retention_days integer NOT NULL,
  access_revision bigint NOT NULL,
  sequence bigint NOT NULL CHECK (sequence BETWEEN 0 AND 4294967295),
  floor bigint NOT NULL,
  ${checksum("vaults")},
  PRIMARY KEY (tenant_id, vault_id)
) WITH (fillfactor = 50);

CREATE TABLE vault_members (
  tenant_id text NOT NULL,
  vault_id text NOT NULL,
  principal_id text NOT NULL,
  role text NOT NULL,
  ${checksum("vault_members")},
  PRIMARY KEY (tenant_id, vault_id, principal_id)
);

CREATE INDEX vault_members_by_principal ON vault_members (tenant_id, principal_id, vault_id COLLATE "C");

CREATE TABLE items (
  tenant_id text NOT NULL,
  vault_id text NOT NULL,
  item_id text NOT NULL,
  version bigint NOT NULL CHECK (version >= 1),
  sequence bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('live', 'deleted', 'shredded')),
  kind text NOT NULL,
  updated_at bigint NOT NULL,
  shred_at bigint,
  payload_alg text NOT NULL,
  payload_version bigint NOT NULL,
  ${checksum("items")},
  PRIMARY KEY (tenant_id, vault_id, item_id),
  CHECK ((shred_at IS NOT NULL) = (state = 'deleted'))
) WITH (fillfactor = 85);

-- The items with a shred_at, by that time. Without an index on a column of items that a change writes, a change of an item writes
-- to no index of items, and finds room on the page of the item (HOT).
CREATE TABLE tombstones (
  tenant_id text NOT NULL,
  vault_id text NOT NULL,
  item_id text NOT NULL,
  shred_at bigint NOT NULL,
  ${checksum("tombstones")}
);

CREATE INDEX tombstones_due ON tombstones (shred_at);

CREATE TABLE contents (
  tenant_id text NOT NULL,
  vault_id text NOT NULL,
  item_id text NOT NULL,
  content bytea NOT NULL,
  ${checksum("contents")},
  PRIMARY KEY (tenant_id, vault_id, item_id)
);

CREATE TABLE content_keys (
  tenant_id text NOT NULL,
  vault_id text NOT NULL,
  item_id text NOT NULL,
  salt bytea NOT NULL,
  ${checksum("content_keys")},
  PRIMARY KEY (tenant_id, vault_id, item_id)
);

CREATE TABLE changes (
  tenant_id text NOT NULL,
  vault_id text NOT NULL,
  sequence bigint NOT NULL,
  item_id text NOT NULL,
  version bigint NOT NULL,
  state text NOT NULL,
  at bigint NOT NULL,
  ${checksum("changes")},
  PRIMARY KEY (tenant_id, vault_id, sequence)
);

-- Everything but the history. Keys are compared by their bytes, in every database. The links name records of the same tenant by their
-- collections and keys: a batch loads them with this one. Records that never expire are not in the last index.
CREATE TABLE records (
  tenant_id text NOT NULL,
  collection text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  principal_id text NOT NULL,
  oauth_client_id text NOT NULL,
  value text NOT NULL,
  revision bigint NOT NULL CHECK (revision >= 1),
  created_at bigint NOT NULL,
  expires_at bigint,
  links jsonb NOT NULL DEFAULT '[]',
  ${checksum("records")},
  PRIMARY KEY (tenant_id, collection, key)
) WITH (fillfactor = 70);

CREATE INDEX records_by_principal ON records (tenant_id, collection, principal_id, key) WHERE principal_id <> '';
CREATE INDEX records_by_expiry ON records (expires_at) WHERE expires_at IS NOT NULL;

-- A partition for each month. Before version 17, a partitioned table has no identity columns.
CREATE SEQUENCE audit_positions;
CREATE TABLE audit (
  subject_tenant_id text NOT NULL,
  position bigint NOT NULL DEFAULT nextval('audit_positions'),
  at bigint NOT NULL,
  tenant_id text NOT NULL,
  principal_id text NOT NULL,
  oauth_client_id text NOT NULL,
  token_id text NOT NULL,
  operation text NOT NULL,
  request_id text NOT NULL,
  subject text NOT NULL,
  event text NOT NULL,
  version_before bigint NOT NULL,
  version_after bigint NOT NULL,
  ${checksum("audit")},
  PRIMARY KEY (subject_tenant_id, position, at)
) PARTITION BY RANGE (at);
ALTER SEQUENCE audit_positions OWNED BY audit.position;
-- The months that have no partition.
CREATE TABLE audit_other_months PARTITION OF audit DEFAULT;
-- Found by position with a BRIN index, which an insert of a row seldom writes to.
CREATE INDEX audit_by_position ON audit USING brin (position) WITH (pages_per_range = 32, autosummarize = on);

-- Link the rows of the audit trail in a hash chain for each tenant. A job writes them, so that they cost a change nothing.
CREATE TABLE audit_seals (
  subject_tenant_id text NOT NULL,
  position bigint NOT NULL,
  previous_position bigint NOT NULL,
  row_count bigint NOT NULL,
  month text NOT NULL,
  digest text NOT NULL,
  trail text NOT NULL,
  ${checksum("audit_seals")},
  PRIMARY KEY (subject_tenant_id, position)
);
CREATE INDEX audit_seals_by_position ON audit_seals (position);

-- The audit trail of tenants that have arrived from another cell, up to their arrival, as it was sealed there. The rows of a tenant that
-- this cell has written since have greater positions.
CREATE TABLE arrived_audit (
  subject_tenant_id text NOT NULL,
  position bigint NOT NULL,
  at bigint NOT NULL,
  tenant_id text NOT NULL,
  principal_id text NOT NULL,
  oauth_client_id text NOT NULL,
  token_id text NOT NULL,
  operation text NOT NULL,
  request_id text NOT NULL,
  subject text NOT NULL,
  event text NOT NULL,
  version_before bigint NOT NULL,
  version_after bigint NOT NULL,
  ${checksum("arrived_audit")},
  PRIMARY KEY (subject_tenant_id, position)
);
CREATE TABLE arrived_audit_seals (
  subject_tenant_id text NOT NULL,
  position bigint NOT NULL,
  previous_position bigint NOT NULL,
  row_count bigint NOT NULL,
  month text NOT NULL,
  digest text NOT NULL,
  trail text NOT NULL,
  ${checksum("arrived_audit_seals")},
  PRIMARY KEY (subject_tenant_id, position)
);

-- A restored database begins an epoch, so that no sequence and no version is assigned twice.
CREATE TABLE epochs (
  number bigint PRIMARY KEY,
  began_at bigint NOT NULL,
  backup_at bigint NOT NULL,
  gap bigint NOT NULL,
  new_vault_floor bigint NOT NULL,
  ${checksum("epochs")}
);

-- Returns true, or fails. NULL, because there was no row to compare, is sound.
CREATE FUNCTION platform_require(sound boolean) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF NOT sound THEN
    RAISE EXCEPTION 'a row does not match its checksum, or the history' USING ERRCODE = 'data_corrupted';
  END IF;
  RETURN true;
END $$;

-- Fails with the table and the key of a row, for the log of the operator.
CREATE FUNCTION platform_damaged(place text, key json) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RAISE EXCEPTION 'a row does not match its checksum' USING ERRCODE = 'data_corrupted', TABLE = place, DETAIL = key::text;
END $$;

CREATE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
-- Only what a tenant has left behind in a cell is removed.
CREATE FUNCTION reject_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM tenants WHERE tenant_id = OLD.tenant_id AND state = 'moved') THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER items_stay BEFORE DELETE ON items FOR EACH ROW EXECUTE FUNCTION reject_removal();
CREATE TRIGGER changes_stand BEFORE UPDATE ON changes EXECUTE FUNCTION reject_change();
CREATE TRIGGER changes_stay BEFORE DELETE ON changes FOR EACH ROW EXECUTE FUNCTION reject_removal();
-- For each row, so that it applies to every partition as well.
CREATE TRIGGER audit_stands BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER audit_seals_stand BEFORE UPDATE OR DELETE ON audit_seals EXECUTE FUNCTION reject_change();
CREATE TRIGGER arrived_audit_stands BEFORE UPDATE ON arrived_audit EXECUTE FUNCTION reject_change();
CREATE TRIGGER arrived_audit_seals_stand BEFORE UPDATE ON arrived_audit_seals EXECUTE FUNCTION reject_change();
CREATE TRIGGER epochs_stand BEFORE UPDATE OR DELETE ON epochs EXECUTE FUNCTION reject_change();
`;
