import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The messages from a target, a measured process, to the benchmark. */
export type FromTarget = { readonly port: number; readonly token: string } | { readonly answer: number };

/** Returns a measured number, or performs an action and returns a number that describes it. */
export type Question = () => number | Promise<number>;

/** The questions that every target answers. */
const common = {
  /** The CPU time of its process, user and system, in microseconds. */
  cpu() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** The memory of its process after a garbage collection, in bytes. */
  memory() {
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    return process.memoryUsage.rss();
  },
} as const satisfies Readonly<Record<string, Question>>;

/** Implements the child's side of `startTarget`: sends the port and the token, then answers questions. */
export function serveTarget(port: number, token = "", questions: Readonly<Record<string, Question>> = {}): void {
  const known: Readonly<Record<string, Question>> = { ...questions, ...common };
  process.on("message", async (name) => {
    const question = typeof name === "string" ? known[name] : undefined;
    if (question === undefined) throw new Error(`This target does not know the question ${String(name)}.`);
    const answer: FromTarget = { answer: await question() };
    process.send?.(answer);
  });
  process.on("disconnect", () => process.exit());
  const address: FromTarget = { port, token };
  process.send?.(address);
}
