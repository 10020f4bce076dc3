import {
  type Call,
  createMemoryKeyStore,
  createPlatform,
  type Operations,
  type Platform,
  type Storage,
} from "@platform-rpc/server";
import type { Contract } from "@platform-rpc/server/host";
import { fixtureItem } from "./fixture.ts";

export const caller = { tenantId: fixtureItem.tenantId, principalId: "principal-1", oauthClientId: "client-1" };

export const seedCall: Call = {
  actor: { ...caller, tokenId: "", operation: "seed", requestId: "seed" },
  wanted: () => true,
};

/** The operations that the caller may call, by the contract that defines them, and the scopes of its token. */
export interface Served {
  readonly contract?: Contract;
  readonly operations: readonly string[];
  readonly scopes: readonly string[];
}

const deletions: Served = { operations: ["platform.v1.VaultService/DeleteItem"], scopes: ["vault.items:delete"] };

export interface BenchPlatform {
  readonly platform: Platform;
  readonly token: string;
}

const names = {
  issuer: "https://bench.example",
  audience: "https://bench.example/api",
  brokerAudience: "https://bench.example/broker",
};

/** Creates a platform that performs all checks of a request. The rate limit counts requests, but is never reached. */
export async function createBenchPlatform(
  storage: Storage,
  keys = createMemoryKeyStore(),
  { contract, operations: allowedOperations, scopes }: Served = deletions,
): Promise<BenchPlatform> {
  const platform = await createPlatform({
    storage,
    keys,
    ...names,
    ...(contract && { contract }),
    rates: Object.fromEntries(allowedOperations.map((operation) => [operation, { perMinute: 1e9, burst: 1e9 }])),
  });
  const { tenantId, principalId, oauthClientId } = caller;
  const { operations } = platform;
  await operations.setPrincipal({ tenantId, principalId, active: true }, seedCall);
  await operations.setOauthClient(
    { tenantId, oauthClientId, name: "bench", allowedOperations, enabled: true },
    seedCall,
  );
  const issued = await operations.issueAccessToken({ ...caller, scopes, lifeSeconds: 900 }, seedCall);
  return { platform, token: issued.accessToken };
}

/** Lets the caller approve a device that may delete items, with bounds. Returns the access token of the delegation. */
export async function delegateDeletions({ operations, tokenIssuer }: Platform): Promise<string> {
  const { scopes } = deletions;
  const started = await operations.startDeviceAuthorization({ ...caller, scopes, popPublicJwk: "" }, seedCall);
  if (!started.ok) throw new Error(started.reason);
  const { deviceCode, userCode } = started;
  const bounds = { actions: ["delete"], maxDeletions: 1e9 } as const;
  await operations.answerDeviceAuthorization({ ...caller, userCode }, { approve: scopes, bounds }, seedCall);
  const code = { deviceCode, idempotencyKey: undefined, proofKeyId: "" };
  const redeemed = await operations.redeemDeviceCode(code, seedCall);
  if (!redeemed.ok || redeemed.status !== "approved") throw new Error("The device got no token.");
  return tokenIssuer.signAccessToken(redeemed.grant);
}

export function vaultName(index: number): string {
  return `vault-${index}`;
}

export function itemName(index: number): string {
  return `item-${index}`;
}

export interface Size {
  readonly vaults: number;
  readonly items: number;
}

/** Creates vaults that the caller owns, and items with the content of the fixture. */
export async function seed(operations: Operations, { vaults, items }: Size): Promise<void> {
  const { tenantId, principalId } = caller;
  await inBatches(vaults, async (vault) => {
    const vaultId = vaultName(vault);
    await operations.createVault({ tenantId, vaultId, retentionDays: undefined }, seedCall);
    await operations.setVaultMember({ tenantId, vaultId, principalId, role: "owner" }, seedCall);
  });
  await inBatches(items, (item) => putItem(operations, vaultName(item % vaults), itemName(item)));
}

async function putItem(operations: Operations, vaultId: string, itemId: string): Promise<void> {
  const { tenantId, kind, titleHash, encryptedPayload, wrappedKeys } = fixtureItem;
  const content = { kind, titleHash, encryptedPayload, wrappedKeys };
  const result = await operations.putItem(
    { access: "administrator", tenantId, vaultId, itemId, ...content, baseVersion: 0 },
    seedCall,
  );
  if (!result.ok) throw new Error(`The item ${itemId} cannot be created: ${result.reason}.`);
}

/** Makes a call for each index below `count`. The calls of a batch share their commits. */
export async function inBatches(count: number, call: (index: number) => Promise<unknown>, size = 1000): Promise<void> {
  for (let at = 0; at < count; at += size) {
    await Promise.all(Array.from({ length: Math.min(size, count - at) }, (_, index) => call(at + index)));
  }
}
