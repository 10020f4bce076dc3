/** The messages between a benchmark and a target, a measured server in a process of its own. */
export type FromTarget = { readonly port: number; readonly token: string } | { readonly answer: number };

/** Returns a number that the benchmark asks for, or does something and returns the number of what was done. */
export type Question = () => number | Promise<number>;

/** The question that every target answers: the CPU time of its process, user and system, in microseconds. */
export const cpuQuestion = "cpu";

/** Implements the child's side of `startTarget`: sends the port and the token, then answers questions. */
export function serveTarget(port: number, token = "", questions: Readonly<Record<string, Question>> = {}): void {
  const known: Readonly<Record<string, Question>> = { ...questions, [cpuQuestion]: cpuMicros };
  process.on("message", async (name) => {
    const question = typeof name === "string" ? known[name] : undefined;
    if (question === undefined) throw new Error(`This target has no answer to the question ${String(name)}.`);
    const answer: FromTarget = { answer: await question() };
    process.send?.(answer);
  });
  process.on("disconnect", () => process.exit());
  const address: FromTarget = { port, token };
  process.send?.(address);
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
