import { createSqliteStorage } from "@platform-rpc/server";
import { createClockWatch } from "@platform-rpc/server/host";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { prepareLater, withClockAlarm } from "../../src/platform/open-platform.js";
import { call } from "../../src/testing/call.js";
import { startTestApp } from "../../src/testing/start-test-app.js";

const day = 24 * 60 * 60 * 1000;

function machine() {
  let wall = Date.now();
  return {
    clocks: { wall: () => wall, monotonic: () => 0 },
    step: (ms: number) => {
      wall += ms;
    },
  };
}

function logTo(lines: string[]) {
  return {
    info: (_: object, message: string) => lines.push(`info: ${message}`),
    error: (_: object, message: string) => lines.push(`error: ${message}`),
  };
}

describe("DECISIONS section 3: a step of the clock raises an alarm", () => {
  it("is logged once when the time is no longer trusted, and once when it is trusted again", async () => {
    const { clocks, step } = machine();
    const storage = createSqliteStorage({ path: ":memory:" });
    onTestFinished(() => storage.close());
    const lines: string[] = [];
    const watch = withClockAlarm(createClockWatch({ storage, runId: "run-1", clocks }), logTo(lines));
    await watch.read();
    expect(lines).toEqual([]);
    step(31 * day);
    await watch.read();
    await watch.read();
    expect(lines).toEqual([
      expect.stringMatching(/^error: .*shredding, purging and key rotation are paused.*platform trust-clock/),
    ]);
    step(-31 * day);
    await watch.read();
    expect(lines).toHaveLength(1);
    const actor = { tenantId: "t", principalId: "p", oauthClientId: "c", tokenId: "j", operation: "o", requestId: "r" };
    await watch.trust({ actor, wanted: () => true });
    await watch.read();
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^info: .*trusted again/)]);
  });

  it("MaintenanceService/TrustClock answers {} to an administrator", async () => {
    const app = await startTestApp();
    onTestFinished(() => app.end());
    const operation = "platform.internal.v1.MaintenanceService/TrustClock";
    expect(await call(app.internalUrl, operation, {}, app.adminToken)).toMatchObject({ status: 200, json: {} });
    expect((await call(app.publicUrl, operation, {}, app.adminToken)).status).toBe(404);
  });
});

describe("the preparation of the platform", () => {
  const logger = { info: vi.fn(), error: vi.fn() };
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.clearAllMocks();
  });

  it("begins a second after the start", () => {
    const prepare = vi.fn(async () => {});
    prepareLater({ prepare }, logger);
    vi.advanceTimersByTime(999);
    expect(prepare).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(prepare).toHaveBeenCalledOnce();
  });

  it("logs the error when it fails", async () => {
    prepareLater({ prepare: () => Promise.reject(new TypeError("no such module")) }, logger);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(logger.error).toHaveBeenCalledWith(
      expect.objectContaining({ error: "TypeError" }),
      "request validator not loaded",
    );
  });
});
