import { createClockWatch, createSqliteStorage } from "@platform-rpc/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { withClockAlarm } from "./clock-alarm.js";
import { call } from "./testing/call.js";
import { startTestApp } from "./testing/start-test-app.js";

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
