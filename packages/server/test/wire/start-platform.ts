import type { DatabaseSync } from "node:sqlite";
import type { ItemContent } from "../../src/domain/model/item.js";
import type { ListenerOptions } from "../../src/http/options.js";
import { createPlatform, type Platform, publicOperations } from "../../src/platform.js";
import type { Storage } from "../../src/ports/storage.js";
import type { Call } from "../../src/services/call.js";
import { openDatabase } from "../../src/storage/sqlite/database/open-database.js";
import { createStorageOnDatabase } from "../../src/storage/sqlite/storage-on-database.js";
import { type FakeClock, fakeClock } from "../../src/testing/fake-clock.js";
import { createMemoryKeyStore } from "../../src/tokens/memory-key-store.js";
import { startListener, type TestListener } from "./start-listener.js";
import type { WireAnswer } from "./wire-answer.js";
import { deleteItemPath, exchangePath, type WireRequest } from "./wire-request.js";

export const deleteScope = "vault.items:delete";
export const everyOperation = [...publicOperations.keys()];
export const tokenNames = {
  issuer: "https://platform.test",
  audience: "https://platform.test/api",
  brokerAudience: "https://broker.test",
};

const everyScope = [...new Set([...publicOperations.values()].flatMap(({ requiredScopes }) => requiredScopes))];

/** A caller. Default: principal p-owner of tenant t-1, over OAuth client c-1, with the scopes of every public operation. */
export interface TestCaller {
  readonly tenantId?: string;
  readonly principalId?: string;
  readonly oauthClientId?: string;
  readonly scopes?: readonly string[];
  /** 0 selects the maximum. */
  readonly lifeSeconds?: number;
}

/** The roles of the members of vault v-1 in tenant t-1: each is `p-${role}`. p-stranger is not a member of any vault. */
const roles = ["owner", "admin", "member", "viewer"];

/** A complete platform on in-memory SQLite, behind a listener, with a fake clock. */
export interface TestPlatform extends TestListener {
  readonly platform: Platform;
  readonly database: DatabaseSync;
  readonly storage: Storage;
  readonly clock: FakeClock;
  issue(caller?: TestCaller): Promise<{ readonly accessToken: string; readonly tokenId: string }>;
  /** Calls DeleteItem with a valid token. */
  deleteItem(body: unknown, caller?: TestCaller, request?: WireRequest): Promise<WireAnswer>;
  /** Calls the exchange with a valid token. */
  exchange(body: unknown, caller?: TestCaller, request?: WireRequest): Promise<WireAnswer>;
  /** Puts a new item into a vault (default v-1), and returns its id. */
  putItem(itemId: string, vaultId?: string): Promise<string>;
}

export interface TestPlatformOptions
  extends Partial<Pick<ListenerOptions, "limits" | "corsOrigins" | "resourceMetadataUrl">> {
  /** Enforces the rates of operations. Default: false. */
  readonly limited?: boolean;
  /** The page in the metadata of DELEGATION_EXHAUSTED. Default: none. */
  readonly delegationPage?: string;
}

/** The call that creates the initial data. */
export const seeder: Call = {
  actor: {
    tenantId: "t-1",
    principalId: "p-seeder",
    oauthClientId: "c-seeder",
    tokenId: "token-seeder",
    operation: "seed",
    requestId: "seed",
  },
  wanted: () => true,
};

export const itemContent: ItemContent = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "Y2lwaGVydGV4dA", version: 1 },
  wrappedKeys: [
    { recipientId: "p-owner", wrapAlg: "A256KW", wrappedKey: "a2V5LTE" },
    { recipientId: "p-member", wrapAlg: "ECDH-ES+A256KW", wrappedKey: "a2V5LTI" },
  ],
};

/** Starts a platform with initial data. */
export async function startPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const { limited = false, delegationPage, ...listenerOptions } = options;
  const clock = fakeClock(Date.UTC(2026, 0, 1, 12, 0, 0, 120));
  const database = openDatabase(":memory:");
  const storage = createStorageOnDatabase(database);
  const platform = await createPlatform({
    storage,
    keys: createMemoryKeyStore(),
    ...tokenNames,
    clock,
    delegationPage,
    ...(!limited && { rateLimiter: false }),
  });
  const { operations } = platform;
  await seed(platform);
  const test = await startListener({ routes: platform.routes, admit: platform.admit, ...listenerOptions });

  const issue = (caller: TestCaller = {}) =>
    operations.issueAccessToken(
      {
        tenantId: "t-1",
        principalId: "p-owner",
        oauthClientId: "c-1",
        scopes: everyScope,
        lifeSeconds: 0,
        ...caller,
      },
      seeder,
    );
  const callPath = async (target: string, body: unknown, caller: TestCaller = {}, request: WireRequest = {}) => {
    const { accessToken } = await issue(caller);
    const headers = { Authorization: `Bearer ${accessToken}`, ...request.headers };
    return test.send({ target, body, ...request, headers });
  };

  return {
    ...test,
    platform,
    database,
    storage,
    clock,
    issue,
    deleteItem: (body, caller, request) => callPath(deleteItemPath, body, caller, request),
    exchange: (body, caller, request) => callPath(exchangePath, body, caller, request),
    async putItem(itemId, vaultId = "v-1") {
      await operations.putItem(
        { access: "administrator", tenantId: "t-1", vaultId, itemId, baseVersion: 0, ...itemContent },
        seeder,
      );
      return itemId;
    },
    async close() {
      await test.close();
      await storage.close();
    },
  };
}

/** Creates the initial data. */
export async function seed({ operations }: Platform): Promise<void> {
  for (const tenantId of ["t-1", "t-2"]) {
    await operations.createVault({ tenantId, vaultId: tenantId === "t-1" ? "v-1" : "v-2", retentionDays: 30 }, seeder);
    for (const oauthClientId of ["c-1", "c-2"]) {
      const name = `Client ${oauthClientId}`;
      await operations.setOauthClient(
        { tenantId, oauthClientId, name, allowedOperations: everyOperation, enabled: true },
        seeder,
      );
    }
    for (const principalId of [...roles.map((role) => `p-${role}`), "p-stranger"]) {
      await operations.setPrincipal({ tenantId, principalId, active: true }, seeder);
    }
  }
  for (const role of roles) {
    await operations.setVaultMember({ tenantId: "t-1", vaultId: "v-1", principalId: `p-${role}`, role }, seeder);
  }
  await operations.setVaultMember({ tenantId: "t-2", vaultId: "v-2", principalId: "p-owner", role: "owner" }, seeder);
}
