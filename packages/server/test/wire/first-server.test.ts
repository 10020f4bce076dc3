import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const chapter = /^## A first vault\n.*?(?=^## )/ms.exec(readme)?.[0] ?? "";
const [lines = ""] = [...chapter.matchAll(/^```ts fragment\n(.*?)```/gms)].map(([, code]) => code);
const curls = [...chapter.matchAll(/^```sh\n(.*?)```/gms)].map(([, line = ""]) => line);

// A project as the page describes it: two files, and the packages.
const project = mkdtempSync(join(tmpdir(), "first-server-"));
afterAll(() => rmSync(project, { recursive: true }));
mkdirSync(join(project, "node_modules/@platform-rpc"), { recursive: true });
symlinkSync(root, join(project, "node_modules/@platform-rpc/server"));
symlinkSync(join(root, "node_modules/pino"), join(project, "node_modules/pino"));
writeFileSync(join(project, "package.json"), '{"type":"module"}');
const example = (name: string) => readFileSync(join(root, "examples", name), "utf8");
const server = example("server.ts");
const [before = "", after = ""] = server.split("const listener = createListener");
writeFileSync(join(project, "first-vault.ts"), example("first-vault.ts"));
writeFileSync(join(project, "server.ts"), `${before}${lines}\nconst listener = createListener${after}`);

async function start(): Promise<{ readonly url: string; readonly program: ChildProcess }> {
  const environment = { ...process.env, PORT: "0", DOCS_URL: "https://docs.test" };
  const program = spawn(process.execPath, ["server.ts"], { cwd: project, env: environment });
  let printed = "";
  program.stderr.on("data", (chunk) => {
    printed += chunk;
  });
  for await (const chunk of program.stdout) {
    printed += chunk;
    const [, port] = /listening on (\d+)/.exec(printed) ?? [];
    if (port !== undefined) return { url: `http://127.0.0.1:${port}`, program };
  }
  throw new Error(`the server ended early: ${printed}`);
}

async function exitCode(program: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  program.kill(signal);
  const [code] = await once(program, "exit");
  return code;
}

describe("the server of README.md", async () => {
  const { url, program } = await start();

  it.each([
    ["deletes the item", curls[0], '"deleted":true'],
    ["exchanges the device code", curls[1], '"status":"approved"'],
  ])("%s", async (_title, line = "", expected) => {
    const here = line.replace("http://127.0.0.1:9080", url).replace("curl -sS", "curl -sS -w '\\n%{http_code}'");
    const { stdout } = await promisify(execFile)("sh", ["-c", here], { cwd: project });
    expect(stdout).toContain(expected);
    expect(stdout.split("\n").at(-1)).toBe("200");
  });

  it("stops gracefully, starts again, and stops at the other signal", async () => {
    expect(await exitCode(program, "SIGTERM")).toBe(0);
    const again = await start();
    expect(await exitCode(again.program, "SIGINT")).toBe(0);
  });
});
