export interface Target {
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly accountsUrl: string;
  readonly pagesUrl: string;
  readonly adminTokenFile: string;
}

export interface Plan {
  readonly targets: readonly [Target, ...Target[]];
  readonly journal: string;
  readonly seed: number;
  /** The number of clients in the process. Each makes one call at a time, except for concurrent exchanges of one code. */
  readonly clients: number;
  /** The number of calls after which the process ends. Undefined: it runs until SIGTERM. */
  readonly calls: number | undefined;
  /** The rate of all clients of the process together. Undefined: as fast as possible. */
  readonly callsPerSecond: number | undefined;
}

export const fixture = {
  tenantId: "faults",
  /** The approver of device authorizations. A member of all vaults. */
  userId: "user-1",
  agent: { principalId: "agent-1", oauthClientId: "agent" },
  /** Another OAuth client, whose exchanges are rejected. */
  stranger: { principalId: "agent-2", oauthClientId: "stranger" },
  /** The OAuth client of sign-ins and of the member API: the app registers it. */
  program: "platform-cli",
  memberScopes: ["vault.items:read", "vault.items:restore", "vault.items:write"],
  /** Vaults that keep tombstones, with few items that all clients change. */
  vaults: ["vault-0", "vault-1", "vault-2", "vault-3"],
  itemsPerVault: 12,
  /** A vault that shreds at once, where each item is created and deleted once. */
  shreddingVault: "shredding",
  /** Vaults in which items are created to be deleted with a delegation. */
  budgetVaults: ["budget-0", "budget-1"],
  scopes: ["identity.device_authorizations:exchange", "vault.items:delete"],
  operations: [
    "platform.v1.VaultService/DeleteItem",
    "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
  ],
} as const;
