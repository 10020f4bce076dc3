import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ProgramError } from "./errors.js";
import { configFolder, prepareFolder } from "./private-files.js";

it.each([
  [{ PLATFORM_CONFIG_DIR: "/c", XDG_CONFIG_HOME: "/x" }, "/c"],
  [{ XDG_CONFIG_HOME: "/x" }, "/x/platform"],
  [{ XDG_CONFIG_HOME: "x" }, "/home/ada/.config/platform"],
  [{}, "/home/ada/.config/platform"],
])("with %o the folder of the programs' files is %s", (environment, folder) => {
  expect(configFolder(environment, "/home/ada")).toBe(folder);
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "program-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("the folder of the programs", () => {
  it("is created with those above it, for its owner only, also by several processes", async () => {
    const above = join(await temporaryFolder(), "above");
    const folder = join(above, "folder");
    await Promise.all([prepareFolder(folder), prepareFolder(folder)]);
    await prepareFolder(folder);
    for (const path of [above, folder]) expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it("is reported with the setting that replaces it if it is a file, or below one", async () => {
    const file = join(await temporaryFolder(), "file");
    await writeFile(file, "");
    for (const path of [file, join(file, "folder")]) {
      const failed = prepareFolder(path);
      await expect(failed).rejects.toThrow(`The folder ${path} cannot be used: EEXIST: file already exists, mkdir`);
      await expect(failed).rejects.toThrow("Set PLATFORM_CONFIG_DIR to a folder that you can write.");
    }
  });

  it.runIf(process.platform === "linux")("is reported where no folder can be created", async () => {
    await expect(prepareFolder("/proc/platform/config")).rejects.toThrow(ProgramError);
  });
});
