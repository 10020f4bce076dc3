import { createClockWatch, createMemoryKeyStore, createPlatform, createSqliteStorage } from "@platform-rpc/server";

/** Creates a platform without sockets or files, with a clock that the test advances. The test must close it. */
export async function inMemoryPlatform() {
  let time = Date.now();
  const clock = { now: () => time };
  const storage = createSqliteStorage({ path: ":memory:" });
  const platform = await createPlatform({
    storage,
    keys: createMemoryKeyStore(),
    issuer: "https://i.example",
    audience: "https://a.example",
    brokerAudience: "https://b.example",
    clock,
    clockWatch: createClockWatch({ storage, runId: "run-1", clocks: { wall: clock.now, monotonic: clock.now } }),
    rateLimiter: false,
    guesses: false,
  });
  const pass = (ms: number): void => {
    time += ms;
  };
  return { ...platform, clock, pass, close: () => storage.close() };
}
