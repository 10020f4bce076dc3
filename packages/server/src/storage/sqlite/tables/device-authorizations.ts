import type { DatabaseSync } from "node:sqlite";
import type { Consumption, DeviceAuthorization } from "../../../domain/device-authorization.js";
import { integer, optional, type Row, strings, text, word } from "../database/columns.js";

/** Device authorizations, by the hashes of their codes. */
export function createDeviceAuthorizations(database: DatabaseSync) {
  const selectByDeviceCode = database.prepare("SELECT * FROM device_authorizations WHERE device_code_hash = ?");
  // Positions ascend in commit order, so the newest is found whatever the clock did.
  const selectByUserCode = database.prepare(
    "SELECT * FROM device_authorizations WHERE user_code_hash = ? ORDER BY position DESC LIMIT 1",
  );
  // The other columns never change, so a poll writes no index entry.
  const upsert = database.prepare(`
    INSERT INTO device_authorizations (device_code_hash, user_code_hash, tenant_id, oauth_client_id, requested_scopes,
      pop_key_id, state, revision, created_at, expires_at, interval_seconds, last_poll_at, approver_id, approved_scopes,
      consumed_grant_id, consumed_by, consumed_key_hash, consumed_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (device_code_hash) DO UPDATE SET
      state = excluded.state,
      revision = excluded.revision,
      interval_seconds = excluded.interval_seconds,
      last_poll_at = excluded.last_poll_at,
      approver_id = excluded.approver_id,
      approved_scopes = excluded.approved_scopes,
      consumed_grant_id = excluded.consumed_grant_id,
      consumed_by = excluded.consumed_by,
      consumed_key_hash = excluded.consumed_key_hash,
      consumed_at = excluded.consumed_at`);
  const selectExpired = database.prepare(
    "SELECT device_code_hash FROM device_authorizations WHERE expires_at < ? ORDER BY expires_at LIMIT ?",
  );
  // After a step of the clock, an older one with the same user code may expire later. It must not get the user code back.
  const takeUserCode = database.prepare(`
    UPDATE device_authorizations SET user_code_hash = '' FROM device_authorizations AS removed
    WHERE removed.device_code_hash = ? AND device_authorizations.user_code_hash = removed.user_code_hash
      AND device_authorizations.position < removed.position`);
  const remove = database.prepare("DELETE FROM device_authorizations WHERE device_code_hash = ?");

  return {
    findByDeviceCode(deviceCodeHash: string): DeviceAuthorization | undefined {
      const row = selectByDeviceCode.get(deviceCodeHash);
      return row && toDeviceAuthorization(row);
    },

    /** Finds the newest device authorization with this user code. */
    findByUserCode(userCodeHash: string): DeviceAuthorization | undefined {
      const row = selectByUserCode.get(userCodeHash);
      return row && toDeviceAuthorization(row);
    },

    /** Finds the device codes that expired before a time, in milliseconds since the epoch. */
    expired(before: number, limit: number): string[] {
      return selectExpired.all(before, limit).map((row) => text(row, "device_code_hash"));
    },

    remove(deviceCodeHash: string): void {
      takeUserCode.run(deviceCodeHash);
      remove.run(deviceCodeHash);
    },

    save(authorization: DeviceAuthorization): void {
      const { consumption } = authorization;
      upsert.run(
        authorization.deviceCodeHash,
        authorization.userCodeHash,
        authorization.tenantId,
        authorization.oauthClientId,
        JSON.stringify(authorization.requestedScopes),
        authorization.popKeyId,
        authorization.state,
        authorization.revision,
        authorization.createdAt,
        authorization.expiresAt,
        authorization.intervalSeconds,
        authorization.lastPollAt ?? null,
        authorization.approverId ?? null,
        JSON.stringify(authorization.approvedScopes),
        consumption?.grantId ?? null,
        consumption?.principalId ?? null,
        consumption?.idempotencyKeyHash ?? null,
        consumption?.at ?? null,
      );
    },
  };
}

function toDeviceAuthorization(row: Row): DeviceAuthorization {
  return {
    deviceCodeHash: text(row, "device_code_hash"),
    userCodeHash: text(row, "user_code_hash"),
    tenantId: text(row, "tenant_id"),
    oauthClientId: text(row, "oauth_client_id"),
    requestedScopes: strings(row, "requested_scopes"),
    popKeyId: text(row, "pop_key_id"),
    state: word(["pending", "approved", "denied", "consumed", "burned"], row, "state"),
    revision: integer(row, "revision"),
    createdAt: integer(row, "created_at"),
    expiresAt: integer(row, "expires_at"),
    intervalSeconds: integer(row, "interval_seconds"),
    lastPollAt: optional(integer, row, "last_poll_at"),
    approverId: optional(text, row, "approver_id"),
    approvedScopes: strings(row, "approved_scopes"),
    consumption: toConsumption(row),
  };
}

function toConsumption(row: Row): Consumption | undefined {
  const grantId = optional(text, row, "consumed_grant_id");
  if (grantId === undefined) return undefined;
  return {
    grantId,
    principalId: text(row, "consumed_by"),
    idempotencyKeyHash: optional(text, row, "consumed_key_hash"),
    at: integer(row, "consumed_at"),
  };
}
