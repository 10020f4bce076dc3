import { format } from "node:util";
import { createCallersPrelude } from "./caller.ts";
import { createHostsPrelude } from "./host.ts";

export interface ExampleResult {
  readonly printed: readonly string[];
  /** The error that it threw, formatted. */
  readonly error?: string;
}

const { fetch } = globalThis;

/** Runs an example with new globals, so that examples do not affect each other. */
export async function runExample(run: () => Promise<unknown>): Promise<ExampleResult> {
  globalThis.fetch = fetch;
  Object.assign(globalThis, await createCallersPrelude(), await createHostsPrelude());
  const printed: string[] = [];
  console.log = (...values) => printed.push(format(...values));
  try {
    await run();
    return { printed };
  } catch (thrown) {
    return { printed, error: format(thrown) };
  }
}
