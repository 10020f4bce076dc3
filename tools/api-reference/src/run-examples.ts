import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import type { Example } from "./examples.ts";
import type { Performed } from "./prelude/perform.ts";

const tool = fileURLToPath(new URL("..", import.meta.url));

/** What the compiler and the runtime say of an example. */
export interface Verdict extends Performed {
  /** What the compiler objects to. */
  readonly objections: readonly string[];
}

/** Type-checks all examples as one program and runs them one after the other, each as a module of its own. */
export async function runExamples(examples: readonly Pick<Example, "code">[]): Promise<readonly Verdict[]> {
  const folder = mkdtempSync(join(tmpdir(), "examples-"));
  try {
    symlinkSync(join(tool, "node_modules"), join(folder, "node_modules"));
    // Without it the nearest package.json above the temporary folder, or none, decides: the compiler then takes CommonJS.
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const files = examples.map(({ code }, index) => {
      const file = join(folder, `${index}.ts`);
      writeFileSync(file, `${code}\nexport {};\n`);
      return file;
    });
    const performed = await run(folder, files);
    const objections = check(files);
    return performed.map((one, index) => ({
      ...one,
      objections: objections.flatMap(({ file, messageText }) =>
        file === undefined || file.fileName === files[index] ? ts.flattenDiagnosticMessageText(messageText, "\n") : [],
      ),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One process for all: most of an example's time is the loading of the packages. */
async function run(folder: string, files: readonly string[]): Promise<readonly Performed[]> {
  const stage = join(folder, "stage.ts");
  const lines = [
    `import { perform } from ${JSON.stringify(join(tool, "src/prelude/perform.ts"))};`,
    "const performed = [];",
    ...files.map((file) => `performed.push(await perform(() => import(${JSON.stringify(file)})));`),
    "process.stdout.write(JSON.stringify(performed));",
  ];
  writeFileSync(stage, lines.join("\n"));
  const { stdout } = await promisify(execFile)(process.execPath, [stage], { cwd: folder, timeout: 180_000 });
  return JSON.parse(stdout);
}

function check(files: readonly string[]): readonly ts.Diagnostic[] {
  const { config } = ts.readConfigFile(join(tool, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, tool);
  // An example may end before it has used all that it shows.
  const lenient = { ...options, noUnusedLocals: false };
  const program = ts.createProgram([...files, join(tool, "src/prelude/globals.ts")], lenient);
  return ts.getPreEmitDiagnostics(program);
}
