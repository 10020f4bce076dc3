import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The times of /proc are in these, on every Linux that Node.js runs on. */
const tickMicros = 10_000;

/** Returns the CPU time that all processes of a PostgreSQL server have used, in microseconds. NaN where there is no /proc. */
export function readServerCpu(dataFolder: string): number {
  if (!existsSync("/proc")) return Number.NaN;
  const main = Number(readFileSync(join(dataFolder, "postmaster.pid"), "utf8").split("\n", 1)[0]);
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    const times = /^\d+$/.test(name) ? readTimes(Number(name)) : undefined;
    if (times === undefined) continue;
    if (times.parent === main) ticks += times.own;
    // The processes that have ended are counted by their parent.
    if (Number(name) === main) ticks += times.own + times.ofEndedChildren;
  }
  return ticks * tickMicros;
}

/** Reads the parent of a process, and its times in ticks. Returns undefined if the process has ended. */
function readTimes(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name in parentheses, which may contain spaces. These are the fields from the third on.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const sum = (first: number) => Number(fields[first]) + Number(fields[first + 1]);
    return { parent: Number(fields[1]), own: sum(11), ofEndedChildren: sum(13) };
  } catch {
    return undefined;
  }
}
