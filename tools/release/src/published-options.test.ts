import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { publishedPackages, root } from "./workspace.ts";

const none = "values, and no options";
const wrong = { misspelt: true };
const asCalls = "options like those of a call: see wrong-types.test.ts of the client";
const platform = { routes: () => {}, admit: () => {} };
const store = { get: () => {}, list: () => {}, commit: () => {}, close: () => {} };

/** The arguments of each published function, with a misspelt option; or a text that says why there are no options to check. */
const functions: Readonly<Record<string, Readonly<Record<string, readonly unknown[] | string>>>> = {
  "@platform-rpc/broker": {
    createBrokerTokenVerifier: [wrong],
    createReplayCache: [wrong],
    isBrokerTokenError: none,
    readProofKey: none,
    verifyProof: "a request",
  },
  "@platform-rpc/broker/express": { brokerTokenOf: none, createBrokerAuth: [wrong] },
  "@platform-rpc/broker/fastify": { brokerTokenOf: none, createBrokerAuth: [wrong] },
  "@platform-rpc/broker/hono": { brokerTokenOf: none, createBrokerAuth: [wrong] },
  "@platform-rpc/client": {
    advanceCursor: none,
    createPlatformClient: [wrong],
    createPlatformTransport: [wrong],
    isPlatformError: none,
    printable: none,
    waitForDeviceAuthorization: asCalls,
  },
  "@platform-rpc/client/json": {
    advanceCursor: none,
    createPlatformClient: [wrong],
    isPlatformError: none,
    waitForDeviceAuthorization: asCalls,
  },
  "@platform-rpc/client/crypto": {
    createRecipientKeys: [wrong],
    createVaultKey: none,
    createWriterKeys: [wrong],
    ...Object.fromEntries(
      ["exportItemKey", "importItemKey", "openItem", "openVaultKey", "openVaultName", "sealItem", "sealVaultName"]
        .concat("titleHash", "unwrapItemKey", "wrapItemKey", "wrapVaultKey")
        .map((name) => [name, "items and keys, each of which is checked"]),
    ),
  },
  "@platform-rpc/client/otel": { openTelemetry: "the options of a client may be passed as they are" },
  "@platform-rpc/client/pop": { createProofKey: [wrong], restoreProofKey: none, thumbprint: none },
  "@platform-rpc/client/session": { createDeviceSession: [wrong], createMemorySessionStore: none },
  "@platform-rpc/client/session-file": { createFileSessionStore: none },
  "@platform-rpc/client/session-loopback": { createBrowserSession: [wrong] },
  "@platform-rpc/client/testing": { createFakePlatform: [wrong] },
  "@platform-rpc/client/undici": { createUndiciFetch: [wrong] },
  "@platform-rpc/mcp/server": { createMcpHandler: [wrong] },
  "@platform-rpc/server": {
    backUpSqliteDatabase: none,
    checkedMethod: none,
    connectHostOptions: none,
    createBoundKeyStore: [wrong],
    createFetchHandler: [platform, wrong],
    createFileKeyStore: none,
    createKeyValueStorage: [store, wrong],
    createListener: [platform, wrong],
    createMemoryKeyStore: none,
    createPlatform: [wrong],
    createRpcErrors: none,
    createSqliteStorage: [wrong],
    createThreadedSqliteStorage: [wrong],
    createUnreadResponses: none,
    jsonDocument: none,
    restoreSqliteBackup: [wrong],
    rpcError: "the parts of an error, on the path of every rejected request",
  },
  "@platform-rpc/server/fetch": {
    createFetchHandler: [platform, wrong],
    createKeyValueStorage: [store, wrong],
    createMemoryKeyStore: none,
    createPlatform: [wrong],
    defineRule: none,
    entriesInOrder: none,
    jsonDocument: none,
    sealRows: "rows of the storage",
  },
  "@platform-rpc/server/otel": { openTelemetry: [wrong] },
  "@platform-rpc/server/postgres": {
    ...Object.fromEntries(
      ["beginPostgresEpoch", "cancelMove", "confirmPostgresDatabase", "copySqliteToPostgres", "createPostgresStorage"]
        .concat("giveUpTenant", "migratePostgresDatabase", "moveSqliteTenant", "moveTenant", "openPostgresCell")
        .concat("openPostgresHistory", "removeMovedTenant")
        .map((name) => [name, [wrong]]),
    ),
    movedSqlitePath: "what moveSqliteTenant has checked",
  },
};

/** The entries of the packages, except the one for tests, and those without functions. */
const entries = publishedPackages(root).flatMap(({ folder, manifest: { name, exports = {} } }) =>
  Object.entries<{ readonly require?: { readonly default: string } }>(Object(exports))
    .map(([path, target]) => ({ entry: name + path.slice(1), file: target.require?.default }))
    .filter(({ entry }) => !/server\/testing$|\/types(-connect-v1)?$/.test(entry))
    .flatMap(({ entry, file }) => (file === undefined ? [] : { entry, file: join(folder, file) })),
);

describe.each(entries)("$entry", ({ entry, file }) => {
  const module: Readonly<Record<string, unknown>> = createRequire(file)(file);
  const table = functions[entry] ?? {};
  const isFunction = ([name, value]: [string, unknown]) => typeof value === "function" && !/^[A-Z]/.test(name);

  it("has each of its functions in the table", () => {
    expect(Object.fromEntries(Object.entries(module).filter(isFunction))).toEqual(
      Object.fromEntries(Object.keys(table).map((name) => [name, expect.any(Function)])),
    );
  });

  it.each(Object.entries(table).flatMap(([name, args]) => (typeof args === "string" ? [] : [{ name, args }])))(
    "$name names itself and an option that it does not know",
    async ({ name, args }) => {
      const call = async () => Reflect.apply(Object(module)[name], undefined, args);
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toMatch(new RegExp(`^TypeError: ${name}: .*misspelt is not an option\\. Use \\w+`));
    },
  );
});
