import type { DatabaseSync } from "node:sqlite";
import type { Grant } from "../../../domain/grant.js";
import type { GrantQuery } from "../../../ports/queries.js";
import { flag, integer, type Row, strings, text } from "../database/columns.js";

/**
 * The default number of grants that one read examines: those of all principals, because an index on them would cost each login a page.
 * Together they take about 1 ms, during which all other calls wait.
 */
const grantsPerRead = 2000;

/** Grants and revocations. */
export function createGrants(database: DatabaseSync, atOnce = grantsPerRead) {
  const select = database.prepare("SELECT * FROM grants WHERE grant_id = ?");
  const selectByToken = database.prepare(`
    SELECT * FROM grants WHERE access_token_id = ?1
    UNION ALL SELECT * FROM grants WHERE broker_token_id = ?1 AND broker_token_id <> ''
    LIMIT 1`);
  // A grant is never updated, because the tokens signed from it must not change.
  const insert = database.prepare(`
    INSERT INTO grants (grant_id, tenant_id, principal_id, oauth_client_id, scopes, key_id, issued_at, expires_at,
      access_token_id, broker_token_id, pop_key_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const insertRevocation = database.prepare(
    "INSERT INTO revocations (subject_id, at) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  const selectRevoked = database.prepare("SELECT EXISTS (SELECT 1 FROM revocations WHERE subject_id = ?) AS revoked");
  const selectTokenRevoked = database.prepare(`
    SELECT EXISTS (SELECT 1 FROM revocations WHERE subject_id IN (?1, ?2))
      OR (?2 <> '' AND NOT EXISTS (SELECT 1 FROM grants WHERE grant_id = ?2)) AS revoked`);

  const selectExpired = database.prepare("SELECT * FROM grants WHERE expires_at < ? ORDER BY expires_at LIMIT ?");
  const deleteRevocations = database.prepare(
    "DELETE FROM revocations WHERE subject_id IN (?, ?, ?) AND subject_id <> ''",
  );
  const selectEnd = database.prepare(
    `SELECT expires_at FROM grants WHERE expires_at > ? ORDER BY expires_at LIMIT 1 OFFSET ${atOnce - 1}`,
  );
  const selectLive = database.prepare(`
    SELECT * FROM grants WHERE expires_at > ? AND expires_at <= ? AND tenant_id = ? AND principal_id = ?
      AND NOT EXISTS (SELECT 1 FROM revocations WHERE subject_id = grant_id)`);
  const deleteGrant = database.prepare("DELETE FROM grants WHERE grant_id = ?");

  return {
    find(grantId: string): Grant | undefined {
      const row = select.get(grantId);
      return row && toGrant(row);
    },

    /** Finds the grant of an access token or a broker token. */
    findByToken(tokenId: string): Grant | undefined {
      const row = selectByToken.get(tokenId);
      return row && toGrant(row);
    },

    add(grant: Grant): void {
      insert.run(
        grant.grantId,
        grant.tenantId,
        grant.principalId,
        grant.oauthClientId,
        JSON.stringify(grant.scopes),
        grant.keyId,
        grant.issuedAt,
        grant.expiresAt,
        grant.accessTokenId,
        grant.brokerTokenId,
        grant.popKeyId,
      );
    },

    /** Revokes a token or a grant by its id. Keeps the time of the first revocation. */
    revoke(subjectId: string, at: number): void {
      insertRevocation.run(subjectId, at);
    },

    /** Finds grants that expired before a time, in milliseconds since the epoch. */
    expired(before: number, limit: number): Grant[] {
      return selectExpired.all(before / 1000, limit).map(toGrant);
    },

    /**
     * Reads a part of the grants that expire after a time. Returns those of the principal that are not revoked, and the time after
     * which the next part begins; undefined: it was the last part. A part ends with the last grant of a second.
     */
    readLive({ tenantId, principalId, expiresAfter }: Omit<GrantQuery, "limit">) {
      const end = selectEnd.get(expiresAfter);
      const next = end && integer(end, "expires_at");
      const rows = selectLive.all(expiresAfter, next ?? Number.MAX_SAFE_INTEGER, tenantId, principalId);
      return { grants: rows.map(toGrant), next };
    },

    /** Removes a grant with its revocations. */
    remove({ grantId, accessTokenId, brokerTokenId }: Grant): void {
      deleteRevocations.run(grantId, accessTokenId, brokerTokenId);
      deleteGrant.run(grantId);
    },

    revoked(subjectId: string): boolean {
      return flag(selectRevoked.get(subjectId) ?? {}, "revoked");
    },

    /** Returns whether a token or its grant is revoked, or its grant does not exist. */
    tokenRevoked(tokenId: string, grantId: string): boolean {
      return flag(selectTokenRevoked.get(tokenId, grantId) ?? {}, "revoked");
    },
  };
}

function toGrant(row: Row): Grant {
  return {
    grantId: text(row, "grant_id"),
    tenantId: text(row, "tenant_id"),
    principalId: text(row, "principal_id"),
    oauthClientId: text(row, "oauth_client_id"),
    scopes: strings(row, "scopes"),
    keyId: text(row, "key_id"),
    issuedAt: integer(row, "issued_at"),
    expiresAt: integer(row, "expires_at"),
    accessTokenId: text(row, "access_token_id"),
    brokerTokenId: text(row, "broker_token_id"),
    popKeyId: text(row, "pop_key_id"),
  };
}
