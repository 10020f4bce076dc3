import type { Command } from "commander";

const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export function isShell(name: string): name is Shell {
  return shells.some((shell) => shell === name);
}

/** Returns a script that completes the commands and options of a program in a shell, and vaults and items with the answer of the server. */
export function completionScript(program: Command, shell: Shell): string {
  const entries = [...completions(program)];
  if (shell === "fish") return fish(program.name(), entries);
  const name = program.name();
  const cases = entries.map(({ path, words }) => `    "${path.join(" ")}") words="${words.join(" ")}" ;;`);
  const asked = entries.flatMap(({ path, asks }) => (asks ? [`    "${path.join(" ")}") what="${asks}" ;;`] : []));
  // The path is the words before the one that is being typed, without options and the vault.
  const bash = `_${name}() {
  local words path what vault word previous typed
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ "$previous" == --vault ]]; then vault="$word"
    elif [[ "$word" != -* ]]; then path="\${path:+$path }$word"
    fi
    previous="$word"
  done
  typed="\${COMP_WORDS[COMP_CWORD]}"
  case "$path" in
${cases.join("\n")}
  esac
  if [[ "$previous" == --vault ]]; then
    what=vaults words=
  elif [[ "$typed" != -* ]]; then
    case "$path" in
${asked.join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$typed"))
  [[ -z "$what" ]] && return
  while IFS= read -r word; do
    printf -v word %q "$word"
    [[ "$word" == "$typed"* ]] && COMPREPLY+=("$word")
  done < <(${name} complete "$what" --vault "$vault" 2>/dev/null)
}
complete -F _${name} ${name}
`;
  // zsh runs completions of bash.
  return shell === "zsh" ? `autoload -U +X bashcompinit && bashcompinit\n${bash}` : bash;
}

interface Completion {
  readonly path: readonly string[];
  readonly words: readonly string[];
  /** What the server is asked for. */
  readonly asks: string | undefined;
  /** Whether it has an option `--vault`. */
  readonly hasVault: boolean;
}

function* completions(command: Command, path: readonly string[] = []): Generator<Completion> {
  const options = command.options.flatMap(({ long }) => (typeof long === "string" ? [long] : []));
  const commands = command.createHelp().visibleCommands(command);
  const names = commands.map((one) => one.name()).filter((name) => name !== "help");
  const [argument] = command.registeredArguments.map((one) => one.name());
  const asks =
    argument === "vault"
      ? "vaults"
      : argument === "item"
        ? path.at(-1) === "restore"
          ? "deleted"
          : "items"
        : undefined;
  yield { path, words: [...names, ...options, "--help"], asks, hasVault: options.includes("--vault") };
  for (const one of commands) if (one.name() !== "help") yield* completions(one, [...path, one.name()]);
}

function fish(name: string, entries: readonly Completion[]): string {
  const lines = entries.flatMap(({ path, words, asks, hasVault }) => {
    const isBelow = (entry: Completion) =>
      entry.path.slice(0, -1).join(" ") === path.join(" ") && entry.path.length > 0;
    const names = entries.filter(isBelow).map((entry) => entry.path.at(-1));
    const seen = [
      ...path.map((word) => `__fish_seen_subcommand_from ${word}`),
      ...(names.length > 0 ? [`not __fish_seen_subcommand_from ${names.join(" ")}`] : []),
    ].join("; and ");
    const condition = path.length === 0 ? "__fish_use_subcommand" : seen;
    const ask = (what: string) => `(${name} complete ${what} 2>/dev/null)`;
    return [
      ...words.map((word) => {
        if (!word.startsWith("--")) return `complete -c ${name} -f -n '${condition}' -a ${word}`;
        const values = hasVault && word === "--vault" ? ` -x -a '${ask("vaults")}'` : "";
        return `complete -c ${name} -n '${condition}' -l ${word.slice(2)}${values}`;
      }),
      ...(asks === undefined ? [] : [`complete -c ${name} -f -n '${condition}' -a '${ask(asks)}'`]),
    ];
  });
  return `${lines.join("\n")}\n`;
}
