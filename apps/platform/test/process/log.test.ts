import { open } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LineWriter } from "../../src/process/line-writer.js";
import { createLog, createPrettyWriter } from "../../src/process/log.js";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const calls = 600;

/** Makes calls that each log about 200 bytes, together more than a pipe's buffer. */
async function callMany(url: string): Promise<void> {
  const one = async () => {
    for (let n = 0; n < calls / 24; n += 1) {
      const answer = await fetch(`${url}/platform.v1.VaultService/DeleteItem`, { method: "POST" });
      await answer.arrayBuffer();
      expect(answer.status).toBe(415);
    }
  };
  await Promise.all(Array.from({ length: 24 }, one));
}

const readiness = async (url: string) => {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, body: await answer.json() };
};

const loggedBy = (text: string): Record<string, unknown>[] =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));

describe("a log that cannot be written neither delays nor ends the process", () => {
  it("a stalled reader delays neither a call nor the stop", async () => {
    const app = await runApp({ DATA_DIR: await temporaryFolder(), DEMO: "off" }, { stderr: "unread" });
    await callMany(app.publicUrl);
    expect(await readiness(app.publicUrl)).toEqual({ status: 200, body: { status: "ok" } });
    expect(await app.stop()).toBe(0);
  });

  it("a full disk (ENOSPC) is reported by the readiness document, which stays 200", async () => {
    const full = await open("/dev/full", "w");
    onTestFinished(() => full.close());
    const app = await runApp({ DATA_DIR: await temporaryFolder(), DEMO: "off" }, { stderr: full.fd });
    await callMany(app.publicUrl);
    await expect
      .poll(() => readiness(app.publicUrl))
      .toEqual({ status: 200, body: { status: "ok", log: { droppedLines: 0, error: "ENOSPC" } } });
    expect(await app.stop()).toBe(0);
  });
});

describe("the log", () => {
  it("ends with the fatal line of an unexpected error", async () => {
    const failing = 'data:text/javascript,process.on("SIGUSR2",()=>{throw new TypeError("a secret")})';
    const quiet = { DEMO: "off", LOG_LEVEL: "warn", NODE_OPTIONS: `--import=${encodeURI(failing)}` };
    const app = await runApp({ ...quiet, DATA_DIR: await temporaryFolder() });
    expect(await app.stop("SIGUSR2")).toBe(1);
    expect(loggedBy(app.err()).at(-1)).toMatchObject({ level: 60, error: "TypeError", msg: "uncaughtException" });
    expect(app.err()).not.toContain("a secret");
  });

  it("reports the number of dropped lines in one line, once it can be written again", () => {
    let written = "";
    let recovered: Parameters<LineWriter["onRecovered"]>[0] = () => {};
    createLog("error", {
      write(line) {
        written += line;
      },
      state: () => ({ droppedLines: 12, error: undefined }),
      onRecovered(listener) {
        recovered = listener;
      },
      flushAtExit() {},
    });
    recovered(12);
    expect(loggedBy(written)).toMatchObject([{ level: 50, droppedLines: 12, msg: "log lines were dropped" }]);
  });
});

it("the log of a terminal says the level, the message and the fields in lines for people, not in JSON", async () => {
  let written = "";
  const output = {
    write: (line: string) => {
      written += line;
    },
    state: () => ({ droppedLines: 0, error: undefined }),
    onRecovered() {},
    flushAtExit() {},
  };
  const log = createLog("warn", await createPrettyWriter(output));
  log.info("not shown");
  log.warn({ job: "seal" }, "the job is late");
  expect(written).toMatch(/WARN.*the job is late.*\n.*job.*seal/);
  expect(written).not.toMatch(/^\{|not shown/);
});
