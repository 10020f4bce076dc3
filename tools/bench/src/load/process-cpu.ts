import { readFileSync } from "node:fs";

/** Returns the CPU time that a process has used, user and system, in microseconds. Linux only. It counts in hundredths of a second. */
export async function cpuMicrosOf(pid: number): Promise<number> {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) * 10_000;
}
