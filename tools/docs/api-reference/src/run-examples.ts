import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startPostgres } from "@platform-rpc/testbed/postgres";
import ts from "typescript";
import type { Example } from "./examples.ts";
import type { ExampleResult } from "./prelude/run-example.ts";

const tool = fileURLToPath(new URL("..", import.meta.url));

export interface CheckedExample extends ExampleResult {
  readonly diagnostics: readonly string[];
}

/** Runs all examples one after the other, each as a separate module, and type-checks them as one program. */
export async function checkExamples(examples: readonly Pick<Example, "code">[]): Promise<readonly CheckedExample[]> {
  const folder = mkdtempSync(join(tmpdir(), "examples-"));
  try {
    symlinkSync(join(tool, "node_modules"), join(folder, "node_modules"));
    // Makes the examples ES modules, whatever package.json is above the temporary folder.
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const files = examples.map(({ code }, index) => {
      const file = join(folder, `${index}.ts`);
      writeFileSync(file, `${code}\nexport {};\n`);
      return file;
    });
    const results = await run(folder, files);
    const diagnostics = check(files);
    return results.map((one, index) => ({
      ...one,
      diagnostics: diagnostics.flatMap(({ file, messageText }) =>
        file === undefined || file.fileName === files[index] ? ts.flattenDiagnosticMessageText(messageText, "\n") : [],
      ),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs all examples in one process, because loading the packages takes most of the time. */
async function run(folder: string, files: readonly string[]): Promise<readonly ExampleResult[]> {
  const runner = join(folder, "runner.ts");
  const lines = [
    `import { runExample } from ${JSON.stringify(join(tool, "src/prelude/run-example.ts"))};`,
    "const results = [];",
    ...files.map((file) => `results.push(await runExample(() => import(${JSON.stringify(file)})));`),
    "process.stdout.write(JSON.stringify(results));",
  ];
  writeFileSync(runner, lines.join("\n"));
  const postgres = await startPostgres({ settings: { fsync: "off" } });
  try {
    const options = { cwd: folder, timeout: 180_000, env: { ...process.env, DATABASE_URL: postgres.url } };
    const { stdout } = await promisify(execFile)(process.execPath, [runner], options);
    return JSON.parse(stdout);
  } finally {
    await postgres.stop();
  }
}

function check(files: readonly string[]): readonly ts.Diagnostic[] {
  const { config } = ts.readConfigFile(join(tool, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, tool);
  // An example may declare variables that it does not use.
  const lenient = { ...options, noUnusedLocals: false };
  const program = ts.createProgram([...files, join(tool, "src/prelude/globals.ts")], lenient);
  return ts.getPreEmitDiagnostics(program);
}
