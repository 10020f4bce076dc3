import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { readPages, root } from "./pages.ts";

const pages = readPages();
/** The folders that pages install from a clone, such as packages/client. */
const folders = [
  ...new Set(
    pages.flatMap(({ text }) =>
      [...text.matchAll(/^npm install .*/gm)].flatMap(([line]) => line.match(/(?<=\.\.\/platform\/)[\w/-]+/g) ?? []),
    ),
  ),
];

/** Examples that need what a project of its own installs: a framework, or generated code. */
const withOtherPackages = /from "(?:express|fastify|hono|@connectrpc\/|vitest|\.\/)/;

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "install-"));
afterAll(() => rmSync(folder, { recursive: true }));
symlinkSync(root, join(folder, "platform"));
const cwd = join(folder, "project");
mkdirSync(cwd);

describe("a project next to the clone", () => {
  it("can import the packages that a page installs", async () => {
    expect(folders.length).toBeGreaterThan(4);
    writeFileSync(join(cwd, "package.json"), '{ "type": "module" }');
    // Without a network: what else a page installs is not installed here.
    const options = ["--offline", "--no-audit", "--no-fund", `--cache=${join(folder, "cache")}`];
    await run("npm", ["install", ...options, ...folders.map((path) => `../platform/${path}`)], { cwd });
    const names = folders.map(
      (path): string => JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")).name,
    );
    const script = `await Promise.all(${JSON.stringify(names)}.map((name) => import(name)));`;
    const node = join(folder, "platform/node_modules/.bin/node");
    await run(node, ["--input-type=module", "--eval", script], { cwd });
  });

  it("compiles the programs of the READMEs with the tsconfig.json of the README", async () => {
    const textOf = (page: string) => pages.find(({ path }) => path === page)?.text ?? "";
    const [, config = ""] = /^```json\n(.*?)^```$/ms.exec(textOf("README.md")) ?? [];
    writeFileSync(join(cwd, "tsconfig.json"), config);
    for (const name of ["client", "server"]) {
      const readme = textOf(`packages/${name}/README.md`);
      const [, lines = ""] = /^```ts fragment\n(.*?)^```$/ms.exec(readme) ?? [];
      mkdirSync(join(cwd, name));
      for (const [, file = "", code = ""] of readme.matchAll(
        /^<!-- examples\/([\w.-]+\.ts) -->\n```ts\n(.*?)^```$/gms,
      )) {
        if (withOtherPackages.test(code)) continue;
        // The page says where a reader adds the lines.
        const whole = file === "server.ts" ? code.replace(/^const listener = /m, `${lines}$&`) : code;
        writeFileSync(join(cwd, name, file), whole);
      }
    }
    mkdirSync(join(cwd, "node_modules/@types"));
    symlinkSync(join(root, "node_modules/@types/node"), join(cwd, "node_modules/@types/node"));
    symlinkSync(join(root, "packages/server/node_modules/pino"), join(cwd, "node_modules/pino"));
    const compiler = join(folder, "platform/node_modules/.bin/tsc");
    const { stdout } = await run(compiler, ["--listFilesOnly"], { cwd });
    expect(stdout.match(/\/project\/(?:client|server)\/[\w-]+\.ts$/gm)?.length).toBeGreaterThan(20);
    // To standard error, which the message of a failure contains.
    await run("sh", ["-c", `${compiler} >&2`], { cwd });
  });
});
