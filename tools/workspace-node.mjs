// Every script of this workspace runs on the workspace's own Node, which `pnpm install` brings. When that install
// failed, pnpm only warns and the script would run on whatever Node the machine has: say so and stop instead.
import { readFileSync } from "node:fs";

const workspace = readFileSync(new URL("../pnpm-workspace.yaml", import.meta.url), "utf8");
const wanted = /^nodeVersion: (\S+)$/m.exec(workspace)?.[1];
if (process.versions.node !== wanted) {
  console.error(
    `This workspace runs on its own Node ${wanted}, but the script was started on Node ${process.versions.node}.\n` +
      "The automatic install has probably failed: run `npx -y pnpm@12 install`, mend what it reports, and try again.",
  );
  process.exit(1);
}
