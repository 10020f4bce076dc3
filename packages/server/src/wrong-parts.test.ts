import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createSeparateDeadlines } from "./http/deadlines.js";
import { createHttpService } from "./http/http-service.js";
import { defaultLimits } from "./http/limits.js";
import { createListener, createMemoryKeyStore, createPlatform, createSqliteStorage } from "./index.js";

const logger = pino({ level: "silent" });
const names = { issuer: "https://id.test", audience: "https://api.test", brokerAudience: "https://broker.test" };

/** Calls a function as a program in JavaScript can. */
const call = async (called: (...args: never[]) => unknown, ...args: readonly unknown[]): Promise<unknown> =>
  Reflect.apply(called, undefined, args);

const parts = () => ({ storage: createSqliteStorage({ path: ":memory:" }), keys: createMemoryKeyStore(), ...names });

const noStorage = "storage must be a storage, such as that of createSqliteStorage.";
const noKeys = "keys must be a key store: pass createFileKeyStore(path), not the path or the keys.";

describe("createPlatform rejects at once", () => {
  it.each<[unknown, string]>([
    ["https://id.test", "options must be an object with storage, keys, issuer,"],
    [{ ...names }, `${noStorage} ${noKeys}`],
    [{ ...parts(), keys: "keys.json" }, noKeys],
    [{ ...parts(), storage: Promise.resolve({}) }, "storage is a promise: await it."],
    [{ ...parts(), issuer: "" }, "issuer must be a text, usually a URL: tokens are checked against it."],
    [
      { ...parts(), issuer: 5, clok: 1 },
      "issuer must be a text, usually a URL: tokens are checked against it. clok is",
    ],
    [{ ...parts(), brokerAudience: names.audience }, `audience and brokerAudience are both ${names.audience}.`],
    [{ ...parts(), rates: 3 }, "rates must be an object with members."],
    [{ ...parts(), rates: { "a/B": { burst: "5" } } }, "rates.a/B.perMinute must be a number from 0. rates.a/B.burst"],
  ])("%o", async (options, message) => {
    await expect(call(createPlatform, options)).rejects.toThrow(`createPlatform: ${message}`);
  });
});

describe("createListener rejects at once", () => {
  const number = "must be a number from 0; Infinity sets no limit.";
  it.each<[object, string]>([
    [{ logger: "pino" }, "logger must be a logger with the methods info and error, such as pino()."],
    [{ limits: { bodyBytes: Number.NaN, headerBytes: "64kb" } }, `limits.headerBytes ${number}`],
    [{ limits: { bodyByte: 1 } }, "limits.bodyByte is not an option. Use bodyBytes,"],
    [
      { limits: { keepAliveMs: Number.POSITIVE_INFINITY } },
      "limits.keepAliveMs must be a number from 0 that is finite.",
    ],
    [{ corsOrigins: "https://app.example" }, "corsOrigins must be a list of origins such as https://app.example.com"],
    [
      { corsOrigins: ["https://app.example/"] },
      "corsOrigins must be a list of origins such as https://app.example.com",
    ],
    [{ hosts: "api.example" }, "hosts must be a list of host names"],
    [{ basePath: "rpc" }, "basePath must be a path such as /api, without a slash at the end."],
    [{ tls: { key: "key" } }, "tls.cert must be a text or a Buffer in PEM."],
  ])("%o", async (options, message) => {
    const platform = await createPlatform(parts());
    await expect(call(createListener, platform, { logger, ...options })).rejects.toThrow("createListener: ");
    await expect(call(createListener, platform, { logger, ...options })).rejects.toThrow(message);
  });

  it.each([undefined, {}, "platform", Promise.resolve()])("%j instead of a platform", async (platform) => {
    await expect(call(createListener, platform, { logger })).rejects.toThrow("createListener: platform ");
  });

  it("no limit of `undefined`, which has its default", async () => {
    const limits = Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, undefined]));
    const service = createHttpService(await createPlatform(parts()), { logger, limits }, createSeparateDeadlines());
    expect(service.limits).toEqual(defaultLimits);
  });
});

describe("operations reject at once", () => {
  const ids = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1" };
  const token = { ...ids, scopes: [], lifeSeconds: 900 };
  const actor = { ...ids, tokenId: "none", operation: "test", requestId: "r-1" };
  const admitted = { actor, wanted: () => true };
  const vault = { tenantId: "t-1", vaultId: "v-1" };
  it.each<[string, readonly unknown[], string]>([
    ["createVault", [vault], "createVault: call must be the last argument: { actor, wanted }"],
    ["createVault", [vault, {}], "createVault: call must be the last argument: { actor, wanted }"],
    [
      "createVault",
      [vault, { ...admitted, actor: { tenantId: "t-1" } }],
      "with tenantId, principalId, oauthClientId, tokenId, operation, requestId of the actor",
    ],
    [
      "createVault",
      [{ ...vault, retention_days: 7 }, admitted],
      "retention_days is not an option. Use tenantId, vaultId",
    ],
    ["createVault", [{ ...vault, retentionDays: 91 }, admitted], "retentionDays must be a whole number from 0 to 90."],
    ["createVault", [{ ...vault, vaultId: "a b" }, admitted], "vaultId must be an id: 1 to 128 of the characters"],
    [
      "setVaultMember",
      [{ ...vault, principalId: "p", role: "Owner" }, admitted],
      "role must be owner, admin, member or",
    ],
    ["setVaultMember", [{ ...vault, principalId: "p", role: "", until: 1 }, admitted], "until is not an option."],
    [
      "setPrincipal",
      [{ ...ids, active: true }, admitted],
      "setPrincipal: oauthClientId is not an option. Use tenantId,",
    ],
    ["setPrincipal", [{ tenantId: "t", principalId: "" }, admitted], "principalId must be an id: 1 to 128"],
    [
      "setOauthClient",
      [{ ...ids, name: "n", allowedOperations: [], enabled: true, redirect_uris: [] }, admitted],
      "setOauthClient: principalId is not an option. Use tenantId, oauthClientId, name, allowedOperations,",
    ],
    ["setOauthClient", [{ ...ids, name: "n" }, admitted], "allowedOperations must be a list of texts. enabled must be"],
    [
      "issueAccessToken",
      [{ ...token, lifeSeconds: 901 }, admitted],
      "lifeSeconds must be a whole number from 0 to 900.",
    ],
    ["issueAccessToken", [{ ...token, lifeSeconds: Number.NaN }, admitted], "lifeSeconds must be a whole number"],
    ["issueAccessToken", [{ ...token, lifeSeconds: 3601 }, admitted], "a whole number from 0 to 900."],
    ["issueAccessToken", [{ ...token, scopes: ["platform.x"], lifeSeconds: 3601 }, admitted], "from 0 to 3600."],
    ["issueAccessToken", [{ ...token, scopes: "a" }, admitted], "scopes must be a list of scopes:"],
    ["issueAccessToken", [{ ...token, scopes: ["a b"] }, admitted], "scopes must be a list of scopes:"],
  ])("%s(%j)", async (name, args, message) => {
    const { own } = await createPlatform(parts());
    await expect(Reflect.get(own, name)(...args)).rejects.toThrow(message);
  });
});
