import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Terminal } from "./terminal.js";

/**
 * Returns a function that opens a page in a browser of this machine, if there is one: by the first program of `BROWSER` that exists,
 * otherwise by `xdg-open` of a desktop, or `open` of macOS. Over SSH there is none: the browser of the person is on another machine, and
 * could not bring its response to this program.
 */
export async function findBrowser(
  environment: Terminal["environment"],
  platform: NodeJS.Platform = process.platform,
): Promise<((url: string) => void) | undefined> {
  const { SSH_CONNECTION, SSH_TTY, BROWSER = "", DISPLAY, WAYLAND_DISPLAY, PATH = "" } = environment;
  if (SSH_CONNECTION || SSH_TTY) return undefined;
  const hasDesktop = platform === "darwin" || Boolean(DISPLAY || WAYLAND_DISPLAY);
  const names = [...BROWSER.split(":"), ...(hasDesktop ? [platform === "darwin" ? "open" : "xdg-open"] : [])];
  for (const name of names) {
    const program = await findProgram(name, PATH);
    if (program !== undefined) return (url) => run(program, url, environment);
  }
  return undefined;
}

/** Returns the path of a program, as a shell would find it. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  if (name === "") return undefined;
  const paths = name.includes("/") ? [name] : path.split(delimiter).map((folder) => join(folder, name));
  for (const candidate of paths) {
    const isProgram = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return candidate;
  }
  return undefined;
}

/** Runs a program without a shell. Neither Ctrl+C nor the end of this program ends it. */
function run(program: string, url: string, env: Terminal["environment"]): void {
  spawn(program, [url], { env, stdio: "ignore", detached: true })
    // The person can open the page, too: its address is shown.
    .on("error", () => {})
    .unref();
}
