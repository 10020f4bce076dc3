import { readdirSync, readFileSync } from "node:fs";

/** The clock ticks per second, the unit in which Linux reports CPU times. */
const ticksPerSecond = 100;

/** Returns the CPU time of each thread of a process, user and system, in microseconds, summed by the names of the threads. */
export function readThreadTimes(pid: number): ReadonlyMap<string, number> {
  const folder = `/proc/${pid}/task`;
  const times = new Map<string, number>();
  for (const thread of readdirSync(folder)) {
    const name = readFileSync(`${folder}/${thread}/comm`, "utf8").trim();
    const stat = readFileSync(`${folder}/${thread}/stat`, "utf8");
    // The fields after the name, which is in parentheses: see proc_pid_stat(5).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    times.set(name, (times.get(name) ?? 0) + (ticks / ticksPerSecond) * 1e6);
  }
  return times;
}
