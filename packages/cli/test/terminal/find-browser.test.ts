import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { findBrowser } from "../../src/terminal/find-browser.js";
import { temporaryFolder } from "../testing/run-program.js";

/** Creates programs that write their name and arguments to a file. Returns their folder, and reads that file. */
async function programs(...names: string[]) {
  const folder = await temporaryFolder();
  const script = `#!/bin/sh\nprintf '%s\\n' "\${0##*/}" "$@" > ${folder}/started.txt\n`;
  for (const name of names) await writeFile(join(folder, name), script, { mode: 0o700 });
  return { folder, started: () => readFile(join(folder, "started.txt"), "utf8") };
}

describe("the browser of this machine", () => {
  it.each([
    ["xdg-open", "linux", { DISPLAY: ":0" }],
    ["xdg-open", "linux", { WAYLAND_DISPLAY: "wayland-0" }],
    ["open", "darwin", {}],
    ["firefox", "linux", { BROWSER: "firefox" }],
    ["chromium", "linux", { BROWSER: "missing:chromium:firefox" }],
    ["xdg-open", "linux", { BROWSER: "missing", DISPLAY: ":0" }],
  ] as const)("is opened by %s on %s with %j", async (name, platform, variables) => {
    const { folder, started } = await programs("xdg-open", "open", "firefox", "chromium");
    const open = await findBrowser({ PATH: `/nowhere:${folder}`, ...variables }, platform);
    open?.("https://accounts.example/authorize?client_id=a&request_uri=$(id)");
    await vi.waitFor(async () =>
      expect(await started()).toBe(`${name}\nhttps://accounts.example/authorize?client_id=a&request_uri=$(id)\n`),
    );
  });

  it.each([
    ["linux", {}],
    ["linux", { DISPLAY: ":0", SSH_CONNECTION: "192.0.2.1 50000 192.0.2.2 22" }],
    ["linux", { BROWSER: "firefox", SSH_TTY: "/dev/pts/0" }],
  ] as const)("does not exist on %s with %j", async (platform, variables) => {
    const { folder } = await programs("xdg-open", "open", "firefox");
    expect(await findBrowser({ PATH: folder, ...variables }, platform)).toBeUndefined();
  });

  it("does not exist without a program that opens it", async () => {
    const { folder } = await programs();
    await writeFile(join(folder, "firefox"), "", { mode: 0o600 });
    const environment = { PATH: folder, DISPLAY: ":0", BROWSER: "firefox" };
    expect(await findBrowser(environment, "linux")).toBeUndefined();
    expect(await findBrowser({ DISPLAY: ":0" }, "linux")).toBeUndefined();
  });

  it("that cannot be started does no harm: the person opens the page", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "xdg-open"));
    const open = await findBrowser({ PATH: folder, DISPLAY: ":0" }, "linux");
    expect(() => open?.("https://accounts.example/")).not.toThrow();
  });
});
