import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startJobs } from "./jobs.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function logTo(lines: object[]) {
  return { info: () => undefined, error: (fields: object) => lines.push(fields) };
}

describe("jobs", () => {
  it("run at once and at every turn, also after one that failed, whose message is not logged", async () => {
    const logged: object[] = [];
    let turns = 0;
    const run = async () => {
      turns += 1;
      throw new TypeError("a secret");
    };
    const jobs = startJobs([{ name: "fail", everyMs: 1000, run }], logTo(logged));
    await vi.advanceTimersByTimeAsync(2000);
    await jobs.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(turns).toBe(3);
    expect(logged).toHaveLength(3);
    expect(logged[0]).toMatchObject({ job: "fail", error: "TypeError" });
    expect(JSON.stringify(logged)).not.toContain("a secret");
  });

  it("are not begun twice, and are waited for at the end", async () => {
    let turns = 0;
    let finish = () => {};
    const run = () => {
      turns += 1;
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    };
    const jobs = startJobs([{ name: "slow", everyMs: 1000, run }], logTo([]));
    await vi.advanceTimersByTimeAsync(3000);
    expect(turns).toBe(1);
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
