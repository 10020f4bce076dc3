import { StorageError } from "@platform-rpc/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FatalError, type JobRun, startJobs } from "./jobs.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function logTo(lines: object[], fatal: FatalError[] = []) {
  const logger = { info: () => undefined, error: (fields: object) => lines.push(fields) };
  return { logger, onFatal: (error: FatalError) => fatal.push(error) };
}

describe("jobs", () => {
  it("run at once and at every interval, also after a failure, whose message is not logged", async () => {
    const logged: object[] = [];
    let runs = 0;
    const run = async () => {
      runs += 1;
      throw new TypeError("a secret");
    };
    const jobs = startJobs([{ name: "fail", everyMs: 1000, run }], logTo(logged));
    await vi.advanceTimersByTimeAsync(2000);
    await jobs.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(runs).toBe(3);
    expect(logged).toHaveLength(3);
    expect(logged[0]).toMatchObject({ job: "fail", error: "TypeError" });
    expect(JSON.stringify(logged)).not.toContain("a secret");
  });

  it("succeed if another cell serves the tenant, because there is nothing to do in this one", async () => {
    const [logged, runs]: [object[], boolean[]] = [[], []];
    const run = () => Promise.reject(new StorageError("not_served"));
    const onRun = ({ succeeded }: JobRun) => runs.push(succeeded);
    const jobs = startJobs([{ name: "register", everyMs: 1000, run }], { ...logTo(logged), onRun });
    await jobs.stop();
    expect([logged, runs]).toEqual([[], [true]]);
  });

  it("report only fatal errors, after which the process must end", async () => {
    const fatal: FatalError[] = [];
    const lost = new FatalError("the database is gone");
    const throwing = (name: string, error: Error) => ({ name, everyMs: 1000, run: () => Promise.reject(error) });
    const jobs = startJobs([throwing("a", lost), throwing("b", new Error("busy"))], logTo([], fatal));
    await jobs.stop();
    expect(fatal).toEqual([lost]);
  });

  it("get an aborted signal when they are stopped, so that a long run ends between two batches", async () => {
    let batches = 0;
    const run = async (signal: AbortSignal) => {
      while (!signal.aborted) {
        batches += 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const jobs = startJobs([{ name: "long", everyMs: 1000, run }], logTo([]));
    await vi.advanceTimersByTimeAsync(250);
    const stopping = jobs.stop();
    await vi.advanceTimersByTimeAsync(50);
    await stopping;
    expect(batches).toBe(3);
  });

  it("are not started while they are running, and are awaited by the stop", async () => {
    let runs = 0;
    let finish = () => {};
    const run = () => {
      runs += 1;
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    };
    const jobs = startJobs([{ name: "slow", everyMs: 1000, run }], logTo([]));
    await vi.advanceTimersByTimeAsync(3000);
    expect(runs).toBe(1);
    let stopped = false;
    const stopping = jobs.stop().then(() => {
      stopped = true;
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(stopped).toBe(false);
    finish();
    await stopping;
    expect(stopped).toBe(true);
  });
});
