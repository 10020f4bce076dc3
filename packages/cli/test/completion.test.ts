import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { platform, temporaryFolder } from "./testing/run-program.js";

type Shell = "bash" | "zsh" | "fish";

const folders = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
const execute = promisify(execFile);

/** Has shells complete lines with the script, where the program answers with vaults and items. */
async function startShell(shell: Shell) {
  const folder = await temporaryFolder();
  const script = join(folder, `c.${shell}`);
  const program = join(folder, "platform");
  const asked = join(folder, "asked.txt");
  await writeFile(script, (await platform(["completion", shell])).out);
  await writeFile(
    program,
    `#!/bin/sh
printf '%s|' "$@" >> '${asked}'
if [ "$2" = vaults ]; then printf '%s\\n' Bank 'Side project'; else printf '%s\\n' 'Example mail' 'It costs $5' "Ada's bank"; fi
`,
    { mode: 0o700 },
  );
  const environment = { PATH: [folder, ...folders].join(":"), HOME: folder, TERM: "dumb", LC_ALL: "C.UTF-8" };
  return {
    folder,
    script,
    /** What the program was asked for. */
    asked: async () => readFile(asked, "utf8"),
    /** Runs a shell, and returns the lines that it writes. */
    async run(...words: string[]): Promise<string[]> {
      const { stdout } = await execute(shell, words, { env: environment, timeout: 20_000 });
      return stdout.split("\n").filter((line) => line !== "");
    },
  };
}

describe("completion in bash", async () => {
  const complete = async (line: string) => {
    const { script, run, asked } = await startShell("bash");
    const lines = `COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _platform; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return { words: await run("--norc", "-c", `source '${script}'; ${lines}`), asked };
  };

  it.each([
    ["platform w", ["whoami", "watch"]],
    ["platform items ''", ["list", "get", "create", "edit", "copy", "delete", "restore", "--help"]],
    ["platform items list --search mail --d", ["--deleted"]],
    ["platform items create --kind l", ["login"]],
    ["platform items get Ex", ["Example\\ mail"]],
    ["platform items get It", ["It\\ costs\\ \\$5"]],
    ["platform items get Bank ''", []],
    ["platform items list --vault S", ["Side\\ project"]],
    ["platform vaults use B", ["Bank"]],
    ["platform run -- items ''", []],
  ])("%s", async (line, words) => {
    expect((await complete(line)).words).toEqual(words);
  });

  it("asks for the items of the vault that was typed, and for the deleted ones if they are restored", async () => {
    const { asked } = await complete("platform items restore --vault 'Side project' It");
    expect(await asked()).toBe("complete|deleted|--vault|Side project|");
  });
});

const has = (shell: Shell) => folders.some((folder) => existsSync(join(folder, shell)));
const named = (shell: Shell) => `completion in ${shell}${has(shell) ? "" : ` (${shell} is missing: install it)`}`;

/** Starts an interactive zsh, types lines and Tab, and writes what the lines are then. */
const typeInZsh = `
zmodload zsh/zpty
script=$1 out=$2 lines=1
zpty -b shell 'zsh -f -i'
until_lines() { until [[ -e $out && \${#\${(f)"$(<$out)"}} -ge $1 ]]; do zpty -r -t shell part; sleep 0.02; done }
zpty -w shell "PS1=; autoload -Uz compinit && compinit -D -u; source $script; show() { print -r -- \\$BUFFER >> $out; BUFFER=; }; zle -N show; bindkey '^X' show; print ready > $out"
until_lines 1
for line in "\${@:3}"; do zpty -w -n shell "$line"$'\\t\\C-x'; (( lines += 1 )); until_lines $lines; done
zpty -d shell
tail -n +2 $out
`;

describe.skipIf(!has("zsh"))(named("zsh"), () => {
  it("completes commands, options, and vaults and items with what the server answers, quoted as the person began", async () => {
    const { folder, script, run, asked } = await startShell("zsh");
    const driver = join(folder, "type.zsh");
    await writeFile(driver, typeInZsh);
    const typed = [
      "platform wa",
      "platform items list --search mail --d",
      "platform items create --kind lo",
      "platform items get Ex",
      "platform items get 'It",
      "platform items list --vault Si",
      "platform items get Ada Ex",
      "platform items restore --vault Side\\ project Ad",
    ];
    expect(await run("-f", driver, script, join(folder, "out.txt"), ...typed)).toEqual([
      "platform watch ",
      "platform items list --search mail --deleted ",
      "platform items create --kind login ",
      "platform items get Example\\ mail ",
      "platform items get 'It costs $5' ",
      "platform items list --vault Side\\ project ",
      "platform items get Ada Ex",
      "platform items restore --vault Side\\ project Ada\\'s\\ bank ",
    ]);
    expect(await asked()).toMatch(/complete\|deleted\|--vault\|Side project\|$/);
  });
});

describe.skipIf(!has("fish"))(named("fish"), () => {
  it.each([
    ["platform w", ["watch", "whoami"]],
    ["platform items ", ["copy", "create", "delete", "edit", "get", "list", "restore"]],
    ["platform items list --search mail --d", ["--deleted"]],
    ["platform items create --kind l", ["login"]],
    ["platform items get Ex", ["Example mail"]],
    ["platform vaults use B", ["Bank"]],
    ["platform items get --vault 'Side project' Ad", ["Ada's bank"]],
  ])("%s", async (line, words) => {
    const { script, run } = await startShell("fish");
    const quoted = line.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
    expect(await run("-N", "-c", `source '${script}'; complete -C '${quoted}'`)).toEqual(words);
  });
});
