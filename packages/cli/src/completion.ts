import type { Command } from "commander";

const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export function isShell(name: string): name is Shell {
  return shells.some((shell) => shell === name);
}

/** Returns a script that completes the commands and options of a program in a shell, and vaults and items with the answer of the server. */
export function completionScript(program: Command, shell: Shell): string {
  const entries = [...completions(program)];
  const name = program.name();
  return { bash, zsh, fish }[shell](name, entries);
}

interface Completion {
  /** The words of the command, without the program. */
  readonly path: readonly string[];
  readonly commands: readonly string[];
  readonly options: readonly CompletedOption[];
  /** What the server is asked for. */
  readonly asks: string | undefined;
}

interface CompletedOption {
  readonly name: string;
  readonly takesValue: boolean;
  /** Default: any value. */
  readonly choices: readonly string[];
}

const help: CompletedOption = { name: "--help", takesValue: false, choices: [] };

function* completions(command: Command, path: readonly string[] = []): Generator<Completion> {
  const options = command.options.flatMap(({ long, required, optional, argChoices = [] }) =>
    typeof long === "string" ? [{ name: long, takesValue: required || optional, choices: argChoices }] : [],
  );
  const commands = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== "help");
  const [argument] = command.registeredArguments.map((one) => one.name());
  const asks =
    argument === "vault"
      ? "vaults"
      : argument === "item"
        ? path.at(-1) === "restore"
          ? "deleted"
          : "items"
        : undefined;
  yield { path, commands: commands.map((one) => one.name()), options: [...options, help], asks };
  for (const one of commands) yield* completions(one, [...path, one.name()]);
}

/** What all commands have in common. A shell finds the command among the words before the one that is typed. */
function commonOf(entries: readonly Completion[]) {
  const options = entries.flatMap(({ options }) => options);
  const valued = options.filter(({ takesValue }) => takesValue).map(({ name }) => name);
  const chosen = options.filter(({ choices }) => choices.length > 0);
  return {
    paths: entries.map(({ path }) => path.join(" ")).filter((path) => path !== ""),
    /** The options whose next word is their value. `--version` has one only for items, but nothing follows it elsewhere. */
    valued: [...new Set(valued)],
    choices: new Map(chosen.map(({ name, choices }) => [name, choices])),
  };
}

function wordsOf({ commands, options }: Completion): string {
  return [...commands, ...options.map(({ name }) => name)].join(" ");
}

/** Returns the cases of a shell's `case` of a text. */
function cases(indent: string, of: Iterable<readonly [text: string, sets: string]>): string {
  return [...of].map(([text, sets]) => `${indent}("${text}") ${sets} ;;`).join("\n");
}

function wordCases(entries: readonly Completion[]): string {
  return cases(
    "    ",
    entries.map((entry) => [entry.path.join(" "), `offered="${wordsOf(entry)}"`]),
  );
}

function askCases(entries: readonly Completion[]): string {
  const asking = entries.flatMap(({ path, asks }) => (asks ? [[path.join(" "), `asked="${asks}"`] as const] : []));
  return cases("      ", asking);
}

function choiceCases(entries: readonly Completion[]): string {
  const { choices } = commonOf(entries);
  return cases(
    "      ",
    [...choices].map(([option, values]) => [option, `offered="${values.join(" ")}"`]),
  );
}

/** The part that bash and zsh read alike: it finds the command, and decides what is offered. */
function decide(entries: readonly Completion[], words: string, typed: string, unquoted: string): string {
  const { paths, valued } = commonOf(entries);
  return `  local word previous at vault given offered asked
  local valued=" ${valued.join(" ")} "
  local known="|${paths.join("|")}|"
  for word in ${words}; do
    if [[ "$word" == -- ]]; then return 0
    elif [[ "$previous" == -* && "$valued" == *" $previous "* ]]; then
      [[ "$previous" == --vault ]] && vault=${unquoted}
    elif [[ "$word" != -* ]]; then
      if [[ "$known" == *"|\${at:+$at }$word|"* ]]; then at="\${at:+$at }$word"; else given=yes; fi
    fi
    previous="$word"
  done
  if [[ "$previous" == --vault ]]; then asked=vaults
  elif [[ "$previous" == -* && "$valued" == *" $previous "* ]]; then
    case "$previous" in
${choiceCases(entries)}
    esac
  elif [[ -z "$given" || ${typed} == -* ]]; then
    case "$at" in
${wordCases(entries)}
    esac
    if [[ ${typed} != -* ]]; then
      case "$at" in
${askCases(entries)}
      esac
    fi
  fi`;
}

function bash(name: string, entries: readonly Completion[]): string {
  return `_${name}() {
  local typed="\${COMP_WORDS[COMP_CWORD]}"
${decide(entries, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`, '"$typed"', '"$word"')}
  COMPREPLY=($(compgen -W "$offered" -- "$typed"))
  [[ -z "$asked" ]] && return
  while IFS= read -r word; do
    printf -v word %q "$word"
    [[ "$word" == "$typed"* ]] && COMPREPLY+=("$word")
  done < <(${name} complete "$asked" --vault "$vault" 2>/dev/null)
}
complete -F _${name} ${name}
`;
}

/** In zsh, `path` and `words` are names of the shell: it quotes what it inserts, and passes words as they were typed. */
function zsh(name: string, entries: readonly Completion[]): string {
  return `#compdef ${name}
_${name}() {
${decide(entries, `"\${(@)words[2,CURRENT-1]}"`, `"\${words[CURRENT]}"`, `"\${(Q)word}"`)}
  compadd -- \${=offered}
  [[ -z "$asked" ]] && return
  local -a answers=("\${(@f)$(${name} complete "$asked" --vault "$vault" 2>/dev/null)}")
  compadd -- "\${(@)answers:#}"
}
if [[ "\${funcstack[1]}" == _${name} ]]; then _${name} "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
  compdef _${name} ${name}
fi
`;
}

function fish(name: string, entries: readonly Completion[]): string {
  const { paths, valued } = commonOf(entries);
  const at = ({ path }: Completion) => `-n '__${name}_at "${path.join(" ")}"'`;
  const lines = entries.flatMap((entry) => {
    const { path, commands, options, asks } = entry;
    const free = `-n '__${name}_free "${path.join(" ")}"'`;
    return [
      ...(commands.length === 0 ? [] : [`complete -c ${name} -f ${free} -a '${commands.join(" ")}'`]),
      ...(asks === undefined ? [] : [`complete -c ${name} -f ${free} -a '(__${name}_ask ${asks})'`]),
      ...options.map((option) => {
        const long = `complete -c ${name} ${at(entry)} -l ${option.name.slice(2)}`;
        if (option.name === "--vault") return `${long} -x -a '(__${name}_ask vaults)'`;
        if (option.choices.length > 0) return `${long} -x -a '${option.choices.join(" ")}'`;
        return option.takesValue ? `${long} -r -F` : long;
      }),
    ];
  });
  return `complete -c ${name} -f
function __${name}_read
  set -g __${name}_path
  set -g __${name}_vault
  set -g __${name}_given
  set -l previous
  for word in (commandline -opc)[2..-1]
    if contains -- "$previous" ${valued.join(" ")}
      test "$previous" = --vault; and set -g __${name}_vault $word
    else if not string match -q -- '-*' $word
      set -l next (string trim -- "$__${name}_path $word")
      if contains -- $next ${paths.map((path) => `'${path}'`).join(" ")}
        set -g __${name}_path $next
      else
        set -g __${name}_given yes
      end
    end
    set previous $word
  end
end
function __${name}_at
  __${name}_read
  test "$__${name}_path" = "$argv[1]"
end
function __${name}_free
  __${name}_at $argv[1]; and test -z "$__${name}_given"
end
function __${name}_ask
  __${name}_read
  ${name} complete $argv[1] --vault "$__${name}_vault" 2>/dev/null
end
${lines.join("\n")}
`;
}
