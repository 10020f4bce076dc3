import type { Plot } from "./plot.ts";
import { tell } from "./tell.ts";

// Runs in a Node of its own, with @platform-rpc/client as installed: the plot comes in the environment, and the last line tells.
const { PLOT = "" } = process.env;
const plot: Plot = JSON.parse(PLOT);
tell(plot).then((told) => process.stdout.write(`\n${JSON.stringify(told)}`));
