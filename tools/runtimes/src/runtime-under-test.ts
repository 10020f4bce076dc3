import type { Installed } from "./installed.ts";
import type { Plot } from "./program/plot.ts";
import type { Told } from "./program/told.ts";
import type { World } from "./world.ts";

/** Where the program runs. */
export interface RuntimeUnderTest extends Installed {
  /** What stands in the runtime's `navigator.userAgent`. */
  readonly userAgent: string;
  /** Whether its `fetch` can be told to refuse redirections. */
  readonly takesRedirectError: boolean;
  /** Runs the program to its end. */
  run(world: World): Promise<Run>;
}

/** What came of a run. */
export interface Run {
  readonly plot: Plot;
  readonly told: Told;
  /** Everything that the program, or the runtime, wrote where people read it. */
  readonly printed: string;
}
