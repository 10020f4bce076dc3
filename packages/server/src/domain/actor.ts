/** Who acts, in which request: what an audit record tells of a call. */
export interface Actor {
  readonly tenantId: string;
  readonly principalId: string;
  readonly oauthClientId: string;
  /** The `jti` of the access token. */
  readonly tokenId: string;
  /** The operation called, as `platform.v1.VaultService/DeleteItem`. */
  readonly operation: string;
  readonly requestId: string;
}

/** One line of the audit trail: append-only, written in the same atomic step as what it tells of. */
export interface AuditRecord extends Actor {
  /** The tenant whose data was touched. */
  readonly subjectTenantId: string;
  /** What was touched, as `item:v-1/i-1`. Never a code or a token. */
  readonly subject: string;
  /** What happened to it, in a word or two. */
  readonly event: string;
  /** 0 when the subject did not exist before, or has no version. */
  readonly versionBefore: number;
  readonly versionAfter: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}
