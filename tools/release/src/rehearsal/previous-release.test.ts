import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { latestReleaseTag } from "./previous-release.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "previous-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function git(folder: string, ...args: readonly string[]) {
  const author = ["-c", "user.name=Test", "-c", "user.email=test@platform.invalid", "-c", "commit.gpgSign=false"];
  execFileSync("git", [...author, ...args], { cwd: folder, stdio: "pipe" });
}

/** Creates a repository with one commit for each list of tags. */
function repositoryWith(...commits: readonly (readonly string[])[]): string {
  const folder = temporaryFolder();
  git(folder, "init", "--quiet", "--initial-branch=main");
  for (const tags of commits) {
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "Change");
    for (const tag of tags) git(folder, "tag", tag);
  }
  return folder;
}

it.each([
  ["no tags", [[]], undefined],
  ["one release", [["v1.0.0"], []], "v1.0.0"],
  ["the newest of several, by version", [["v1.9.0"], ["v1.10.0"], []], "v1.10.0"],
  ["no canary", [["v1.0.0"], ["v1.0.1-canary.20270131120000"], []], "v1.0.0"],
  ["no other tag", [["v1", "version-2", "released"], []], undefined],
])("the earlier release: %s", async (_, commits, tag) => {
  expect(await latestReleaseTag(repositoryWith(...commits))).toBe(tag);
});

it("ignores a release that the current commit does not contain", async () => {
  const folder = repositoryWith(["v1.0.0"], ["v2.0.0"]);
  git(folder, "checkout", "--quiet", "v1.0.0");
  expect(await latestReleaseTag(folder)).toBe("v1.0.0");
});

it("a shallow clone is an error, because its tags are missing", async () => {
  const clone = temporaryFolder();
  git(clone, "clone", "--quiet", "--depth=1", "--no-tags", `file://${repositoryWith(["v1.0.0"], [])}`, ".");
  await expect(latestReleaseTag(clone)).rejects.toThrow("shallow");
});
