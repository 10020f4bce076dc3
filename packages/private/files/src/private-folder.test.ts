import { mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPrivateFolder } from "./private-folder.js";

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "files-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("a private folder", () => {
  it("is created with those above it, for its owner only, also by several processes", async () => {
    const above = join(await temporaryFolder(), "above");
    const folder = join(above, "folder");
    await Promise.all([createPrivateFolder(folder), createPrivateFolder(folder)]);
    await createPrivateFolder(folder);
    for (const path of [above, folder]) expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it("is not created in place of a file, below a file, or at the end of a link to nothing", async () => {
    const parent = await temporaryFolder();
    const [file, link] = [join(parent, "file"), join(parent, "link")];
    await writeFile(file, "");
    await symlink(join(parent, "nothing"), link);
    await expect(createPrivateFolder(file)).rejects.toMatchObject({ code: "EEXIST" });
    await expect(createPrivateFolder(join(file, "folder"))).rejects.toMatchObject({ code: "EEXIST", path: file });
    await expect(createPrivateFolder(link)).rejects.toMatchObject({ code: "EEXIST" });
  });

  it.runIf(process.platform === "linux")("fails where no folder can be created", async () => {
    await expect(createPrivateFolder("/proc/platform/data")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
