import { existsSync } from "node:fs";

const { CHROMIUM_PATH, CI } = process.env;
const headlessShell = "/usr/bin/chromium-headless-shell";

/** The installed Chromium, preferably the headless shell, which uses about half of its CPU time. */
export const chromiumPath = CHROMIUM_PATH ?? (existsSync(headlessShell) ? headlessShell : "/usr/bin/chromium");

/** Whether to skip tests in Chromium because it is not installed. Never in CI, where they then fail. */
export const withoutChromium = CI === undefined && !existsSync(chromiumPath);
