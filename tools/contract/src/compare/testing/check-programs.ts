import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const packages = fileURLToPath(new URL("../../../node_modules", import.meta.url));

/** A program in TypeScript, and what its import of `#contract` or `#package` means. */
export interface Program {
  readonly source: string;
  /** A path from the root of the project. */
  readonly imported: string;
}

/** A project in a folder. Its packages are those of this tool. */
export interface Project {
  write(file: string, text: string): void;
  /** Compiles programs together. Returns the first error of each. Undefined: it compiles. */
  compile(programs: readonly Program[]): readonly (string | undefined)[];
  /** Compiles programs, and runs those that compile. Returns why each one fails. Undefined: it works. */
  run(programs: readonly Program[]): readonly (string | undefined)[];
}

export function createProject(root: string): Project {
  symlinkSync(packages, join(root, "node_modules"));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write("package.json", '{ "type": "module" }');
  let count = 0;
  const add = ({ source, imported }: Program) => {
    count += 1;
    const file = `programs/${count}.ts`;
    write(file, `${source.replaceAll(/"#(?:contract|package)"/g, `"../${imported}"`)}\nexport {};\n`);
    return join(root, file);
  };
  return {
    write,
    compile(programs) {
      const files = programs.map(add);
      const errors = compile(files);
      return files.map((file) => errors.get(file));
    },
    run(programs) {
      const files = programs.map(add);
      const errors = compile(files);
      const compiled = files.filter((file) => !errors.has(file));
      const failures = new Map(run(root, compiled).map((failure, index) => [compiled[index], failure]));
      return files.map((file) => errors.get(file) ?? failures.get(file));
    },
  };
}

/** Returns the first error of each file that has one. */
function compile(files: readonly string[]): ReadonlyMap<string, string> {
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts"],
    strict: true,
    skipLibCheck: true,
    types: [],
  });
  const errors = new Map<string, string>();
  for (const file of program.getSourceFiles()) {
    if (!files.includes(file.fileName)) continue;
    const [found] = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    if (found === undefined) program.emit(file);
    else errors.set(file.fileName, ts.flattenDiagnosticMessageText(found.messageText, "\n"));
  }
  return errors;
}

/** Runs compiled programs in one process. Returns why each one fails. Undefined: it does not. */
function run(root: string, files: readonly string[]): readonly (string | undefined)[] {
  const urls = files.map((file) => pathToFileURL(file.replace(/ts$/, "js")).href);
  const main = join(root, "run.js");
  writeFileSync(
    main,
    `const urls = ${JSON.stringify(urls)};
const failures = await Promise.all(urls.map((url) => import(url).then(() => undefined, String)));
console.log(JSON.stringify(failures.map((failure) => failure ?? null)));
`,
  );
  const failures: readonly (string | null)[] = JSON.parse(execFileSync(process.execPath, [main], { encoding: "utf8" }));
  return failures.map((failure) => failure ?? undefined);
}
