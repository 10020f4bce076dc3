import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A copy of the workspace in a temporary folder. */
export interface WorkspaceCopy {
  readonly folder: string;
  /** Runs a command, whose words are separated by spaces. @throws Error with the output when it fails. */
  run(command: string): void;
  /** Runs a command that must fail. @throws Error when it passes, or when its output does not contain all of these texts. */
  runToFail(command: string, texts: readonly string[]): void;
  remove(): void;
}

/** Copies the files of the workspace that git knows or would add, without what is installed, built or ignored. */
export function copyWorkspace(root: string): WorkspaceCopy {
  const folder = mkdtempSync(join(tmpdir(), "extending-"));
  for (const file of filesOf(root)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  // Without a commit, turbo hashes ignored files too and finds nothing in its cache.
  const author = ["-c", "user.name=Extending", "-c", "user.email=extending@platform.invalid"];
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
  execFileSync("git", ["add", "--all"], { cwd: folder });
  execFileSync("git", [...author, "commit", "--quiet", "--no-gpg-sign", "-m", "Copy"], { cwd: folder });

  function execute(command: string) {
    const [program = "", ...args] = command.split(" ");
    const { error, status, stdout, stderr } = spawnSync(program, args, {
      cwd: folder,
      encoding: "utf8",
      // What the copy does not change is taken from the cache of the workspace: turbo compares the content of every input.
      env: { TURBO_CACHE_DIR: join(root, ".turbo/cache"), ...process.env, NO_COLOR: "1" },
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
