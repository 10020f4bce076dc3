import { describe, expect, it } from "vitest";
import { createPostgresStorage } from "../../../src/storage/postgres/create-postgres-storage.js";

const url = "postgres://user:hunter2@127.0.0.1:1/none";
const contentKey = new Uint8Array(32);

/** Opens a storage as a program in JavaScript can, and returns the error. No database is reached. */
const rejection = (options: unknown): Promise<unknown> =>
  Reflect.apply(createPostgresStorage, undefined, [options]).then(
    () => undefined,
    (error: unknown) => error,
  );

const names = "url, contentKey, cell, connections, batchLimit, timeout, retryFor, tracing";
const urlExpected = "url must be the URL of the database, such as postgres://user:password@host:5432/platform.";
const keyExpected = "contentKey must be a Uint8Array of 32 bytes or more, or a promise of one.";
const countExpected = (name: string) => `${name} must be a whole number from 1.`;

describe("createPostgresStorage rejects at once, and names", () => {
  it.each([undefined, null, url, 5, Promise.resolve({ url, contentKey })])("%j instead of options", async (options) => {
    const error = new TypeError(`createPostgresStorage: options must be an object with ${names}.`);
    expect(await rejection(options)).toEqual(error);
  });

  it.each([
    [{}, `${urlExpected} ${keyExpected}`],
    [{ contentKey, url: "127.0.0.1:5432" }, urlExpected],
    [{ contentKey, url: new URL(url) }, urlExpected],
    [{ contentKey, url: Promise.resolve(url) }, "url is a promise: await it."],
    [{ url, contentKey: "a".repeat(32) }, keyExpected],
    [{ url, contentKey: new Uint8Array(31) }, keyExpected],
    ...["connections", "batchLimit"].flatMap((name) =>
      [0, -1, 1.5, Number.NaN, "4", null].map(
        (value) => [{ url, contentKey, [name]: value }, countExpected(name)] as const,
      ),
    ),
    ...[0, "10", Number.POSITIVE_INFINITY].map(
      (timeout) => [{ url, contentKey, timeout }, "timeout must be a number of milliseconds from 1."] as const,
    ),
    [{ url, contentKey, retryFor: -1 }, "retryFor must be a number of milliseconds from 0."],
    [{ url, contentKey, tracing: true }, "tracing must be a tracing, such as that of openTelemetry."],
    [{ url, contentKey, timeoutMs: 10 }, `timeoutMs is not an option. Use ${names}.`],
  ] as const)("what is wrong with %j", async (options, problem) => {
    expect(await rejection(options)).toEqual(new TypeError(`createPostgresStorage: ${problem}`));
  });

  it("nothing of the password in the URL", async () => {
    const error = await rejection({ url: "mysql://user:hunter2@host/db", contentKey: "hunter2" });
    expect(String(error)).not.toContain("hunter2");
  });
});
