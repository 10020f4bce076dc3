// Every script of this workspace runs on the workspace's own Node and on the packages of the lockfile, which the automatic
// install brings. When that install fails, pnpm only warns, and the script would run on whatever is there. Stop instead.
import { existsSync, readFileSync } from "node:fs";

/** @param {string} path */
const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8").replaceAll("\r\n", "\n");

const platform = `${process.platform}-${process.arch}`;
const wanted = /^nodeVersion: (\S+)$/m.exec(read("../pnpm-workspace.yaml"))?.[1];
const manifest = read("../package.json");
const remedy =
  "The automatic install has probably failed: run `npx -y pnpm@12 install`, fix what it reports, and try again.";
const installed = "../node_modules/.pnpm/lock.yaml";

/** @returns {string | undefined} */
function findFault() {
  if (process.versions.node !== wanted) {
    const started = `This workspace runs on Node ${wanted}, but the script was started on Node ${process.versions.node}.`;
    return manifest.includes(`"node-${platform}"`)
      ? `${started}\n${remedy}`
      : `${started}\nThe lockfile has no Node for ${platform}: install Node ${wanted} yourself.`;
  }
  if (!existsSync(new URL(installed, import.meta.url)) || read(installed) !== read("../pnpm-lock.yaml")) {
    return `The installed packages are not those of pnpm-lock.yaml.\n${remedy}`;
  }
  return undefined;
}

const fault = findFault();
if (fault) {
  console.error(fault);
  process.exit(1);
}
