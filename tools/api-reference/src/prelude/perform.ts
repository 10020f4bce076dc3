import { format } from "node:util";
import { createCallersPrelude } from "./caller.ts";
import { createHostsPrelude } from "./host.ts";

/** What became of an example. */
export interface Performed {
  readonly printed: readonly string[];
  /** What it threw. */
  readonly error?: string;
}

const { fetch } = globalThis;

/** Runs an example with a prelude of its own, so that none sees what another has done. */
export async function perform(run: () => Promise<unknown>): Promise<Performed> {
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
