import { createMemoryKeyStore, createPlatform, createSqliteStorage } from "@platform-rpc/server";
import { createClockWatch } from "@platform-rpc/server/host";
import { createPostgresStorage } from "@platform-rpc/server/postgres";
import { callerContract } from "../contract/private-contract.js";
import { dropTestDatabase, testDatabase } from "./test-database.js";

/**
 * Creates a platform on the engine of the tests, with a clock that the test advances. The test must close it.
 *
 * @param options.guesses whether wrong user codes are limited. Default: no.
 */
export async function inMemoryPlatform({ guesses = false } = {}) {
  let time = Date.now();
  const clock = { now: () => time };
  const contentKey = Promise.withResolvers<Uint8Array>();
  const name = crypto.randomUUID();
  const url = await testDatabase(name);
  const storage =
    url === undefined
      ? createSqliteStorage({ path: ":memory:" })
      : await createPostgresStorage({ url, contentKey: contentKey.promise });
  const platform = await createPlatform({
    storage,
    keys: createMemoryKeyStore(),
    contract: callerContract,
    issuer: "https://i.example",
    audience: "https://a.example",
    brokerAudience: "https://b.example",
    clock,
    clockWatch: createClockWatch({ storage, runId: "run-1", clocks: { wall: clock.now, monotonic: clock.now } }),
    rateLimiter: false,
    ...(guesses ? {} : { guesses: false }),
  });
  contentKey.resolve(platform.keyRing.contentKey);
  const pass = (ms: number): void => {
    time += ms;
  };
  const close = async () => {
    await storage.close();
    await dropTestDatabase(name);
  };
  return { ...platform, storage, clock, pass, close };
}
