import { describe, expect, it, onTestFinished } from "vitest";
import type { Actor } from "../domain/model/actor.js";
import { readAccess } from "../services/read-access.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createDeviceFixture, resultOf } from "../testing/storage-suite/device-fixture.js";
import { createClockWatch } from "./clock-watch.js";
import { createPurgeExpired } from "./purge-expired.js";

const hour = 60 * 60 * 1000;
const codeLife = 10 * 60 * 1000;

const operator: Actor = { tenantId: "", principalId: "", oauthClientId: "", tokenId: "", operation: "", requestId: "" };

async function platform() {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const device = createDeviceFixture(storage, clock);
  await device.setUp();
  const clockWatch = createClockWatch({ storage, runId: "run-1", clocks: clock });
  const purge = createPurgeExpired({ storage, clockWatch });
  const trustClock = () => clockWatch.trust({ actor: operator, wanted: () => true });
  return { clock, storage, device, purge, trustClock };
}

describe("DECISIONS section 4: when device authorizations and grants are purged", () => {
  it("purges a consumed code a day after it expired, and its grant a day after its tokens expired", async () => {
    const { clock, storage, device, purge } = await platform();
    await device.start("code-1");
    await device.answer("user-code-1");
    clock.advance(codeLife - 1);
    expect(resultOf(await device.exchange("code-1"))).toBe("approved");
    clock.advance(24 * hour + 1);
    expect(await purge()).toBe(0);
    expect(resultOf(await device.exchange("code-1"))).toBe("DEVICE_CODE_CONSUMED");
    clock.advance(1);
    // The authorization, its user code, and where its grant is.
    expect(await purge()).toBe(3);
    expect(resultOf(await device.exchange("code-1"))).toBe("DEVICE_CODE_INVALID");
    const token = { tenantId: "tenant-1", principalId: "principal-1", oauthClientId: "agent-1", tokenId: "access-1" };
    expect(await readAccess(storage, { ...token, grantId: "grant-1" })).toMatchObject({ revoked: false });
    clock.advance(900_000);
    // The grant and its two tokens.
    expect(await purge()).toBe(3);
    expect(await readAccess(storage, { ...token, grantId: "grant-1" })).toMatchObject({ revoked: true });
    expect(await purge()).toBe(0);
  });

  it("works in batches, and stops between two of them when its signal is aborted", async () => {
    const { clock, device, purge } = await platform();
    await Promise.all(Array.from({ length: 600 }, (_, n) => device.start(`code-${n}`)));
    clock.advance(codeLife + 24 * hour + 1);
    const stop = new AbortController();
    const purging = purge(stop.signal);
    stop.abort();
    expect(await purging).toBe(1000);
    expect(await purge(stop.signal)).toBe(0);
    const [one, other] = await Promise.all([purge(), purge()]);
    expect(one + other).toBe(200);
  });

  it("purges nothing after the wall clock jumps ahead, until an operator trusts it", async () => {
    const { clock, device, purge, trustClock } = await platform();
    await device.start("code-1");
    expect(await purge()).toBe(0);
    clock.step(48 * hour);
    expect(await purge()).toBe(0);
    clock.advance(26_000);
    expect(await purge()).toBe(0);
    expect(await device.find("code-1")).toBeDefined();
    await trustClock();
    expect(await purge()).toBe(2);
  });
});
