import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A block of code with its language, after a path in bold or after a block with commands that fail. */
const block = /(?:^\*\*`([^`\n]+)`\*\*\n\n)?^```(\S+)( fails)?\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms;

// Carries out docs/extending.md in a copy of this workspace, block by block.
const root = fileURLToPath(new URL("../../..", import.meta.url));
const steps = readPage(readFileSync(join(root, "docs/extending.md"), "utf8"));
const copy = copyWorkspace(root);

function perform(step: Step): string {
  switch (step.kind) {
    case "run":
      copy.run(step.command);
      return step.command;
    case "fail":
      copy.runToFail(step.command, step.output);
      return `${step.command}: fails`;
    case "write": {
      const file = join(copy.folder, step.path);
      if (existsSync(file)) throw new Error(`${step.path} exists. Show an edit of it as a diff.`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, step.code);
      return `write ${step.path}`;
    }
    case "edit": {
      const file = join(copy.folder, step.path);
      writeFileSync(file, applyDiff(readFileSync(file, "utf8"), step.diff));
      return `edit ${step.path}`;
    }
  }
}

try {
  const install = { kind: "run", command: "pnpm install --prefer-offline --frozen-lockfile" } as const;
  for (const step of [install, ...steps]) {
    const startedAt = performance.now();
    const done = perform(step);
    console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${done}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  copy.remove();
}

/** What a reader of the page does. */
type Step =
  | { readonly kind: "write"; readonly path: string; readonly code: string }
  | { readonly kind: "edit"; readonly path: string; readonly diff: string }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "fail"; readonly command: string; readonly output: readonly string[] };

/** Reads the steps of a page. @throws Error when a block is neither a file nor commands: a reader could not know what to do. */
function readPage(page: string): readonly Step[] {
  return [...page.matchAll(block)].flatMap(([, path, language = "", fails, code = "", output]): readonly Step[] => {
    if (path !== undefined)
      return [language === "diff" ? { kind: "edit", path, diff: code } : { kind: "write", path, code }];
    if (language !== "sh") throw new Error(`A block of ${language} has no path in bold above it:\n${code}`);
    const commands = linesOf(code).map((line) => line.replace(/^npx -y pnpm@\d+ /, "pnpm "));
    if (fails === undefined) return commands.map((command) => ({ kind: "run", command }));
    if (output === undefined) throw new Error(`A block of text must follow, with the output of:\n${code}`);
    return commands.map((command) => ({ kind: "fail", command, output: linesOf(output) }));
  });
}

/** Applies a diff to a text. @throws Error when the lines without + are not in the text, next to each other, once. */
function applyDiff(text: string, diff: string): string {
  const lines = diff.split("\n").slice(0, -1);
  const before = lines.filter((line) => !line.startsWith("+")).map((line) => `${line.slice(1)}\n`);
  const after = lines.filter((line) => !line.startsWith("-")).map((line) => `${line.slice(1)}\n`);
  const parts = text.split(before.join(""));
  if (parts.length !== 2) throw new Error(`These lines are ${parts.length - 1} times in the file:\n${before.join("")}`);
  return parts.join(after.join(""));
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

interface WorkspaceCopy {
  readonly folder: string;
  /** Runs a command, whose words are separated by spaces. @throws Error with the output when it fails. */
  run(command: string): void;
  /** Runs a command that must fail. @throws Error when it passes, or when its output does not contain all of these texts. */
  runToFail(command: string, texts: readonly string[]): void;
  remove(): void;
}

/** Copies the files of the workspace that git knows or would add, without what is installed, built or ignored. */
function copyWorkspace(root: string): WorkspaceCopy {
  const folder = mkdtempSync(join(tmpdir(), "extending-"));
  for (const file of filesOf(root)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  // Without a commit, turbo hashes ignored files too and finds nothing in its cache.
  const author = ["-c", "user.name=Extending", "-c", "user.email=extending@platform.invalid"];
  execFileSync("git", ["init", "--quiet", "--initial-branch=main"], { cwd: folder });
  execFileSync("git", ["add", "--all"], { cwd: folder });
  execFileSync("git", [...author, "commit", "--quiet", "--no-gpg-sign", "-m", "Copy"], { cwd: folder });

  function execute(command: string) {
    const [program = "", ...args] = command.split(" ");
    const { error, status, stdout, stderr } = spawnSync(program, args, {
      cwd: folder,
      encoding: "utf8",
      // What the copy does not change is taken from the cache of the workspace: turbo compares the content of every input.
      // The copy has none of the workspace's commits.
      env: { TURBO_CACHE_DIR: join(root, ".turbo/cache"), ...process.env, NO_COLOR: "1", CONTRACT_BASE: "" },
      maxBuffer: 64 * 1024 * 1024,
    });
    if (error) throw error;
    return { passed: status === 0, output: `${stdout}${stderr}` };
  }

  return {
    folder,
    run(command) {
      const { passed, output } = execute(command);
      if (!passed) throw new Error(`\`${command}\` failed in the copy:\n${output}`);
    },
    runToFail(command, texts) {
      const { passed, output } = execute(command);
      if (passed) throw new Error(`\`${command}\` passed in the copy, but must fail.`);
      const missing = texts.filter((text) => !output.includes(text));
      if (missing.length > 0)
        throw new Error(`\`${command}\` failed, but its output does not contain ${missing.join(", ")}:\n${output}`);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function filesOf(root: string): readonly string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  // Without those that are deleted, but not yet in a commit.
  return files.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
}
