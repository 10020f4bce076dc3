import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { configFolder, prepareFolder } from "./private-files.js";

it.each([
  [{ PLATFORM_CONFIG_DIR: "/c", XDG_CONFIG_HOME: "/x" }, "/c"],
  [{ XDG_CONFIG_HOME: "/x" }, "/x/platform"],
  [{ XDG_CONFIG_HOME: "x" }, "/home/ada/.config/platform"],
  [{}, "/home/ada/.config/platform"],
])("with %o the folder of the programs' files is %s", (environment, folder) => {
  expect(configFolder(environment, "/home/ada")).toBe(folder);
});

describe("the folder of the programs", () => {
  it("is reported with the setting that replaces it if it is a file, or below one", async () => {
    const parent = await mkdtemp(join(tmpdir(), "program-"));
    onTestFinished(() => rm(parent, { recursive: true }));
    const file = join(parent, "file");
    await writeFile(file, "");
    for (const path of [file, join(file, "folder")]) {
      const failed = prepareFolder(path);
      await expect(failed).rejects.toThrow(`The folder ${path} cannot be used: EEXIST: file already exists, mkdir`);
      await expect(failed).rejects.toThrow("Set PLATFORM_CONFIG_DIR to a folder that you can write.");
    }
  });
});
