import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

/** Something in a file that makes the gate run and see every change. */
export interface Switch {
  readonly file: string;
  /** Reports whether a version of the file keeps what the one before has. @throws Error when one of them cannot be read. */
  readonly isKept: (now: string, was: string) => boolean | Promise<boolean>;
  /** What is wrong if it is not kept, as a sentence. */
  readonly fault: string;
}

/** These parts are compared if the merge base has this file: a change is judged by the rules from before it. */
export const fixedPartsFile = "tools/contract/src/baseline/fixed-parts.ts";

const manifestSchema = z.object({ scripts: z.record(z.string(), z.string()) });
const workflowSchema = z.looseObject({ jobs: z.record(z.string(), z.unknown()) });
const setting = z.json().optional();
const shellSchema = z.object({ scriptShell: setting, shellEmulator: setting, enablePrePostScripts: setting });
const workflow = ".github/workflows/check.yml";

/** The parts of files that run the gate. A change must leave them as they are. */
export const fixedParts: readonly Switch[] = [
  script("contract"),
  script("gates", withoutNewTasks),
  script("check"),
  script("release:version"),
  {
    file: ".ci/run",
    fault: differs("The check script"),
    isKept: (now, was) => commandsIn(now) === commandsIn(was),
  },
  {
    file: ".npmrc",
    fault: differs("What npm uses, such as the shell of scripts,"),
    isKept: (now, was) => commandsIn(now) === commandsIn(was),
  },
  {
    file: "turbo.json",
    fault: differs("The task `contract`"),
    isKept: (now, was) => taskIn(now) === taskIn(was),
  },
  {
    file: "pnpm-workspace.yaml",
    fault: differs("The shell that pnpm uses for scripts"),
    async isKept(now, was) {
      const [after, before] = await Promise.all(
        [now, was].map(async (text) => shellSchema.parse(await readYaml(text))),
      );
      return isDeepStrictEqual(after, before);
    },
  },
  {
    file: workflow,
    fault: differs("The workflow `check`, outside of its jobs,"),
    async isKept(now, was) {
      const [after, before] = await Promise.all([readWorkflow(now), readWorkflow(was)]);
      return isDeepStrictEqual({ ...after, jobs: {} }, { ...before, jobs: {} });
    },
  },
  job("check"),
  job("contract"),
];

function differs(part: string): string {
  return `${part} runs the gate, and differs from the merge base.`;
}

/** A script of package.json, with those that pnpm runs before and after it. */
function script(name: string, adjust: (now: string, was: string) => string = (now) => now): Switch {
  const read = (text: string) => {
    const { scripts } = manifestSchema.parse(JSON.parse(text));
    return [`pre${name}`, name, `post${name}`].map((each) => scripts[each] ?? "");
  };
  return {
    file: "package.json",
    fault: differs(`The script \`${name}\``),
    isKept(now, was) {
      const before = read(was);
      return read(now).every((command, index) => adjust(command, before[index] ?? "") === before[index]);
    },
  };
}

/** More gates may run next to this one. */
function withoutNewTasks(now: string, was: string): string {
  const known = new Set(was.split(" "));
  const isKnown = (task: string) => known.has(task);
  return now.replace(/(?<=\bturbo run )[\w: ]+(?= --)/, (tasks) => tasks.split(" ").filter(isKnown).join(" "));
}

function commandsIn(script: string): string {
  return script.replaceAll(/^\s*#(?!!).*\n/gm, "");
}

/** turbo.json has comments, so it cannot be parsed as JSON. */
function taskIn(configuration: string): string {
  return configuration
    .split("\n")
    .filter((line) => line.includes("#contract"))
    .join("\n");
}

function job(name: string): Switch {
  return {
    file: workflow,
    fault: differs(`The job \`${name}\``),
    async isKept(now, was) {
      const [after, before] = await Promise.all([readWorkflow(now), readWorkflow(was)]);
      return isDeepStrictEqual(after.jobs[name], before.jobs[name]);
    },
  };
}

/** Reads a workflow. Other commits of the same actions are no difference: Dependabot updates them, and an owner reviews that. */
async function readWorkflow(text: string) {
  return workflowSchema.parse(await readYaml(text.replaceAll(/(uses: [\w./-]+)@[0-9a-f]{40}\b/g, "$1")));
}

/** Only changes of these files need the parser. */
async function readYaml(text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  return parse(text);
}
