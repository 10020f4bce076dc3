import { existsSync } from "node:fs";

const headlessShell = "/usr/bin/chromium-headless-shell";

/** The installed Chromium, preferably the headless shell, which uses about half of its CPU time. */
export const chromiumPath =
  process.env.CHROMIUM_PATH ?? (existsSync(headlessShell) ? headlessShell : "/usr/bin/chromium");
