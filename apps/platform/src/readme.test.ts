import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { startTestApp } from "./testing/start-test-app.js";
import { newTemporaryFolder } from "./testing/temporary-folder.js";

const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
const curls = readme.match(/^curl .*$/gm) ?? [];

// The lines use paths relative to the folder of the README.
const folder = await newTemporaryFolder();
const app = await startTestApp({ DATA_DIR: join(folder.path, "data"), DEMO: "on" });
afterAll(async () => {
  await app.end();
  await folder.remove();
});

describe("README.md", () => {
  it("has a curl line for each operation", () => {
    expect(curls).toHaveLength(2);
  });

  it.each(curls)("%s", async (line) => {
    const here = line.replace("http://127.0.0.1:8080", app.publicUrl);
    const { stdout } = await promisify(execFile)("sh", ["-c", `${here} -w '\\n%{http_code}'`], { cwd: folder.path });
    expect(stdout.split("\n").at(-1)).toBe("200");
  });
});
