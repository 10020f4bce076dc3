// Every script of this workspace runs on the workspace's own Node and on the packages of the lockfile, which the automatic
// install brings. When that install failed, pnpm only warns, and the script would run on whatever is there: say so and
// stop instead.
import { existsSync, readFileSync } from "node:fs";

/** @param {string} path */
const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8").replaceAll("\r\n", "\n");

const wanted = /^nodeVersion: (\S+)$/m.exec(read("../pnpm-workspace.yaml"))?.[1];
const installed = "../node_modules/.pnpm/lock.yaml";

/** @returns {string | undefined} */
function findFault() {
  if (process.versions.node !== wanted) {
    return `This workspace runs on its own Node ${wanted}, but the script was started on Node ${process.versions.node}.`;
  }
  if (!existsSync(new URL(installed, import.meta.url)) || read(installed) !== read("../pnpm-lock.yaml")) {
    return "The installed packages are not those of pnpm-lock.yaml.";
  }
  return undefined;
}

const fault = findFault();
if (fault) {
  console.error(
    `${fault}\n` +
      "The automatic install has probably failed: run `npx -y pnpm@12 install`, mend what it reports, and try again.",
  );
  process.exit(1);
}
