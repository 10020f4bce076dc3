import type { Command } from "commander";

const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export function isShell(name: string): name is Shell {
  return shells.some((shell) => shell === name);
}

/** Returns a script that completes the commands and options of a program in a shell. */
export function completionScript(program: Command, shell: Shell): string {
  const entries = [...completions(program)];
  if (shell === "fish") return fish(program.name(), entries);
  const name = program.name();
  const cases = entries.map(({ path, words }) => `    "${path.join(" ")}") words="${words.join(" ")}" ;;`);
  // The path is the words before the one that is being typed, without options.
  const bash = `_${name}() {
  local words path
  path="$(printf "%s\\n" "\${COMP_WORDS[@]:1:COMP_CWORD-1}" | grep -v "^-" | paste -sd " " -)"
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _${name} ${name}
`;
  // zsh runs completions of bash.
  return shell === "zsh" ? `autoload -U +X bashcompinit && bashcompinit\n${bash}` : bash;
}

interface Completion {
  readonly path: readonly string[];
  readonly words: readonly string[];
}

function* completions(command: Command, path: readonly string[] = []): Generator<Completion> {
  const options = command.options.flatMap(({ long }) => (typeof long === "string" ? [long] : []));
  yield { path, words: [...command.commands.map((one) => one.name()), ...options, "--help"] };
  for (const one of command.commands) yield* completions(one, [...path, one.name()]);
}

function fish(name: string, entries: readonly Completion[]): string {
  const lines = entries.flatMap(({ path, words }) => {
    const condition = path.length === 0 ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${path.at(-1)}`;
    return words.map((word) =>
      word.startsWith("--")
        ? `complete -c ${name} -n '${condition}' -l ${word.slice(2)}`
        : `complete -c ${name} -f -n '${condition}' -a ${word}`,
    );
  });
  return `${lines.join("\n")}\n`;
}
