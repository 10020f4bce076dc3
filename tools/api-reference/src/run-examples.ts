import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startPostgres } from "@platform-rpc/testbed/postgres";
import ts from "typescript";
import { createCompilerHost } from "./compiler-host.ts";
import type { Example } from "./examples.ts";
import type { ExampleResult } from "./prelude/run-example.ts";

const tool = fileURLToPath(new URL("..", import.meta.url));

/** The result of an example, with the compiler's diagnostics. */
export interface CheckedExample extends ExampleResult {
  /** The errors that the compiler reports. */
  readonly diagnostics: readonly string[];
}

/** Runs all examples one after the other, each as a separate module, and type-checks them as one program. */
export function checkExamples(examples: readonly Pick<Example, "code">[]): Promise<readonly CheckedExample[]> {
  return inFolder(examples, async (folder, files, variables) => {
    const results = await run(folder, files, variables);
    const diagnostics = check(files);
    return results.map((one, index) => ({
      ...one,
      diagnostics: diagnostics.flatMap(({ file, messageText }) =>
        file === undefined || file.fileName === files[index] ? ts.flattenDiagnosticMessageText(messageText, "\n") : [],
      ),
    }));
  });
}

/** Runs all examples one after the other, each as a separate module. */
export function runExamples(examples: readonly Pick<Example, "code">[]): Promise<readonly ExampleResult[]> {
  return inFolder(examples, run);
}

/** Writes each example to a file in a temporary folder, calls `use`, and removes the folder. */
async function inFolder<Result>(
  examples: readonly Pick<Example, "code">[],
  use: (folder: string, files: readonly string[], variables: NodeJS.ProcessEnv) => Promise<Result>,
): Promise<Result> {
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
    const usesDatabase = examples.some(({ code }) => code.includes("databaseUrl"));
    const postgres = usesDatabase ? await startPostgres({ settings: { fsync: "off" } }) : undefined;
    return await use(folder, files, { DATABASE_URL: postgres?.url }).finally(() => postgres?.stop());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs all examples in one process, because loading the packages takes most of the time. */
async function run(
  folder: string,
  files: readonly string[],
  variables: NodeJS.ProcessEnv,
): Promise<readonly ExampleResult[]> {
  const runner = join(folder, "runner.ts");
  const lines = [
    `import { runExample } from ${JSON.stringify(join(tool, "src/prelude/run-example.ts"))};`,
    "const results = [];",
    ...files.map((file) => `results.push(await runExample(() => import(${JSON.stringify(file)})));`),
    "process.stdout.write(JSON.stringify(results));",
  ];
  writeFileSync(runner, lines.join("\n"));
  const options = { cwd: folder, timeout: 180_000, env: { ...process.env, ...variables } };
  const { stdout } = await promisify(execFile)(process.execPath, [runner], options);
  return JSON.parse(stdout);
}

function check(files: readonly string[]): readonly ts.Diagnostic[] {
  const { config } = ts.readConfigFile(join(tool, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, tool);
  // An example may declare variables that it does not use.
  const lenient = { ...options, noUnusedLocals: false };
  const roots = [...files, join(tool, "src/prelude/globals.ts")];
  const program = ts.createProgram(roots, lenient, createCompilerHost(lenient));
  return ts.getPreEmitDiagnostics(program);
}
