/** The caller and the request, as recorded in the audit trail. */
export interface Actor {
  readonly tenantId: string;
  readonly principalId: string;
  readonly oauthClientId: string;
  /** The `jti` of the access token. */
  readonly tokenId: string;
  /** The called operation, such as `platform.v1.VaultService/DeleteItem`. */
  readonly operation: string;
  readonly requestId: string;
}

/** A record of the audit trail. Append-only; written in the same atomic step as the change it describes. */
export interface AuditRecord extends Actor {
  /** The tenant whose data changed. */
  readonly subjectTenantId: string;
  /** What changed, such as `item:v-1/i-1`. Never a code or a token. */
  readonly subject: string;
  /** What happened to the subject, such as `deleted`. */
  readonly event: string;
  /** 0 when the subject did not exist before, or has no version. */
  readonly versionBefore: number;
  readonly versionAfter: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}
