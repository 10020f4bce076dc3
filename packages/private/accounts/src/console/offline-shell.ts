import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Shell } from "../browser/offline/answer-of.js";
import { versionOf } from "../pages/assets.js";

const hashOf = (content: string | Uint8Array) => createHash("sha256").update(content).digest("base64");

/** What does not change its content without its name: see `pages/assets.ts`. */
const isNamedByContent = (name: string) => /-[\w-]{8}\.(?:css|js|svg)$/.test(name);

/**
 * Returns the page of the vault, the same page as browsers keep it, and the script of the worker that keeps it with all files of this build.
 * Both name the one script whose name has no hash together with its version. The kept one says of itself that it is kept.
 */
export function createOfflineShell(assets: URL, page: string) {
  const read = (path: string) => readFileSync(new URL(path.slice("/assets/".length), assets));
  const session = "/assets/session.js";
  const named = `${session}?${versionOf(read(session))}`;
  const served = page.replace(session, named);
  const html = served.replace("<html", "<html data-kept");
  const name = `page-${hashOf(html).replaceAll(/\W/g, "").slice(0, 8)}.html`;
  const own = readdirSync(assets).filter(isNamedByContent);
  const console = readdirSync(new URL("console/assets/", assets)).filter(isNamedByContent);
  const files: Record<string, string> = {
    [`/console/assets/${name}`]: hashOf(html),
    [named]: hashOf(read(session)),
    "/assets/icon.svg": hashOf(read("/assets/icon.svg")),
  };
  for (const file of own) files[`/assets/${file}`] = hashOf(read(`/assets/${file}`));
  for (const file of console) files[`/console/assets/${file}`] = hashOf(read(`/assets/console/assets/${file}`));
  for (const [path, hash] of Object.entries(files)) files[path] = `sha256-${hash}`;
  const shell: Shell = { id: hashOf(JSON.stringify(files)), page: `/console/assets/${name}`, files };
  return {
    served,
    name,
    html,
    worker: `const shell = ${JSON.stringify(shell)};\n${read("/assets/offline-worker.js")}`,
  };
}
