import { pino } from "pino";
import { describe, expect, it } from "vitest";
import {
  createFetchHandler,
  createFileKeyStore,
  createListener,
  createMemoryKeyStore,
  createPlatform,
  createSqliteStorage,
} from "./index.js";

const logger = pino({ level: "silent" });
const names = { issuer: "https://id.test", audience: "https://api.test", brokerAudience: "https://broker.test" };

/** Calls a factory as a program in JavaScript can. */
const call = async (factory: (...args: never[]) => unknown, ...args: readonly unknown[]): Promise<unknown> =>
  Reflect.apply(factory, undefined, args);

async function parts() {
  const storage = createSqliteStorage({ path: ":memory:" });
  const platform = await createPlatform({ storage, keys: createMemoryKeyStore(), ...names });
  return { storage, platform };
}

const noPlatform = "platform must be what createPlatform resolves with, or have routes and admit.";
const noLogger = "logger is required. Pass one with the methods info and error, such as pino().";

describe.each([
  { name: "createListener", factory: createListener },
  { name: "createFetchHandler", factory: createFetchHandler },
])("$name rejects at once", ({ factory }) => {
  it.each([undefined, {}, "platform"])("%j instead of a platform", async (platform) => {
    await expect(call(factory, platform, { logger })).rejects.toThrow(new TypeError(noPlatform));
  });

  it("the promise of a platform, whose `await` was forgotten", async () => {
    const { storage } = await parts();
    const promise = createPlatform({ storage, keys: createMemoryKeyStore(), ...names });
    await expect(call(factory, promise, { logger })).rejects.toThrow(new TypeError("platform is a promise: await it."));
    await promise;
    await storage.close();
  });

  it.each([undefined, {}, { logger: "pino" }])("the options %j without a logger", async (options) => {
    const { platform, storage } = await parts();
    await expect(call(factory, platform, options)).rejects.toThrow(new TypeError(noLogger));
    await storage.close();
  });
});

describe("createPlatform rejects at once", () => {
  it.each(["keys.json", undefined, null, { keys: [] }])("%j instead of a key store", async (keys) => {
    const { storage } = await parts();
    await expect(call(createPlatform, { storage, keys, ...names })).rejects.toThrow(
      new TypeError("keys must be a key store: pass createFileKeyStore(path), not the path or the keys."),
    );
    await storage.close();
  });

  it.each([undefined, null, "platform.sqlite", {}])("%j instead of a storage", async (storage) => {
    await expect(call(createPlatform, { storage, keys: createMemoryKeyStore(), ...names })).rejects.toThrow(
      new TypeError("storage must be a storage, such as that of createSqliteStorage."),
    );
  });

  it.each(Object.keys(names).flatMap((name) => [undefined, "", 5].map((value) => ({ name, value }))))(
    "$value as $name, because that claim would not be checked",
    async ({ name, value }) => {
      const message = `createPlatform: ${name} is required. Set it, usually to a URL: tokens are checked against it.`;
      const options = { storage: {}, keys: createMemoryKeyStore(), ...names, [name]: value };
      await expect(call(createPlatform, options)).rejects.toThrow(new TypeError(message));
    },
  );

  it("equal audiences, with which the API would accept broker tokens", async () => {
    const options = { storage: {}, keys: createMemoryKeyStore(), ...names, brokerAudience: names.audience };
    const both = /^createPlatform: audience and brokerAudience are both https:\/\/api\.test\. /;
    await expect(call(createPlatform, options)).rejects.toThrow(both);
  });

  it("the promise of a storage", async () => {
    const storage = Promise.resolve((await parts()).storage);
    await expect(call(createPlatform, { storage, keys: createMemoryKeyStore(), ...names })).rejects.toThrow(
      new TypeError("storage is a promise: await it."),
    );
    await (await storage).close();
  });

  it.each([undefined, null, "https://id.test"])("%j instead of options", async (options) => {
    await expect(call(createPlatform, options)).rejects.toThrow("createPlatform: issuer is required.");
  });
});

it.each([undefined, null, {}, { path: "" }, { path: 5 }, "platform.sqlite"])(
  "createSqliteStorage rejects %j, which has no path",
  async (options) => {
    await expect(call(createSqliteStorage, options)).rejects.toThrow(
      new TypeError('createSqliteStorage: path must be the database file, or ":memory:", as a string.'),
    );
  },
);

it.each([undefined, "", 5])("createFileKeyStore rejects the path %j", async (path) => {
  await expect(call(createFileKeyStore, path)).rejects.toThrow(
    new TypeError("createFileKeyStore: path must be the key file, as a string."),
  );
});
