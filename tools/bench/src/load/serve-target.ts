/** The messages from a target, a measured process, to the benchmark. */
export type FromTarget = { readonly port: number; readonly token: string } | { readonly answer: number };

/** Returns a measured number, or performs an action and returns a number that describes it. */
export type Question = () => number | Promise<number>;

/** Returns the CPU time of this process, user and system, in microseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Implements the child's side of `startTarget`: sends the port and the token, then answers questions. Each target knows "cpu". */
export function serveTarget(port: number, token = "", questions: Readonly<Record<string, Question>> = {}): void {
  const known: Readonly<Record<string, Question>> = { ...questions, cpu };
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
