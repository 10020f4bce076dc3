/** What a database contains of the load, without content. Read after the app has stopped. */
export interface Stored {
  readonly vaults: readonly { readonly vaultId: string; readonly sequence: number }[];
  /** The history of each vault, in the order in which its changes were committed. */
  readonly changes: readonly StoredChange[];
  readonly audit: readonly {
    readonly subject: string;
    readonly event: string;
    readonly versionAfter: number;
    readonly requestId: string;
  }[];
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
  /** The ids of revoked tokens and grants. */
  readonly revocations: readonly string[];
}

export interface StoredChange {
  readonly vaultId: string;
  readonly itemId: string;
  readonly version: number;
  readonly state: string;
  readonly sequence: number;
}
