import { join } from "node:path";
import { raiseEveryPackage } from "./raise-every-package.ts";
import { mustRun } from "./run.ts";
import { root } from "./workspace.ts";

// Gives the workspace the versions of a canary, such as 1.3.0-canary.20270131120000. The changes are not committed.
raiseEveryPackage(root, "A canary of the main branch.");
console.log(
  await mustRun(join(root, "node_modules/.bin/changeset"), ["version", "--snapshot", "canary"], { cwd: root }),
);
