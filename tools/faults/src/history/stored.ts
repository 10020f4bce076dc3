/** What a database contains of the load, without content. Read after the app has stopped. */
export interface Stored {
  readonly vaults: readonly { readonly vaultId: string; readonly sequence: number }[];
  /** The history of each vault, in the order in which its changes were committed. */
  readonly changes: readonly StoredChange[];
  /** The whole audit trail, in the order of its positions. */
  readonly audit: readonly AuditRow[];
  readonly seals: readonly AuditSeal[];
  readonly authorizations: readonly {
    readonly codeHash: string;
    readonly state: string;
    /** Empty unless the code is consumed. */
    readonly grantId: string;
  }[];
  readonly grants: readonly {
    readonly grantId: string;
    readonly accessTokenId: string;
    /** Empty for tokens that were not exchanged for a device code. */
    readonly brokerTokenId: string;
  }[];
  readonly delegations: readonly StoredDelegation[];
  /** The ids of revoked grants, and of revoked tokens of other issuers. */
  readonly revocations: readonly string[];
}

/** What an approval limits, and what was used of it. */
export interface StoredDelegation {
  /** The id of the grant of the approval. */
  readonly delegationId: string;
  /** How many deletions it allows. null: any number. */
  readonly allowed: number | null;
  readonly used: number;
}

export interface StoredChange {
  readonly vaultId: string;
  readonly itemId: string;
  readonly version: number;
  readonly state: string;
  readonly sequence: number;
}

/** A record of the audit trail. The order of the members is that of its line: see docs/operate/audit.md, "The hash chain". */
export interface AuditRow {
  readonly position: number;
  readonly at: number;
  readonly subjectTenantId: string;
  readonly subject: string;
  readonly event: string;
  readonly versionBefore: number;
  readonly versionAfter: number;
  readonly tenantId: string;
  readonly principalId: string;
  readonly oauthClientId: string;
  readonly tokenId: string;
  readonly operation: string;
  readonly requestId: string;
}

export interface AuditSeal {
  readonly subjectTenantId: string;
  readonly previousPosition: number;
  readonly position: number;
  readonly rows: number;
  readonly month: string;
  readonly digest: string;
  readonly trail: string;
  /** Whether it was sealed by another cell, from which the tenant has arrived. Default: false. */
  readonly arrived?: boolean;
}
