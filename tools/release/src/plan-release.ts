import { globSync } from "node:fs";
import { npmRegistry } from "./npm-registry.ts";
import { unpublishedOf } from "./unpublished.ts";
import { publishedPackages, root } from "./workspace.ts";

// Prints the next step of the workflow as an output. Runs without installed packages.
const { CHANNEL } = process.env;
console.log(`step=${await stepOf(CHANNEL)}`);

/**
 * - canary: on request.
 * - version: there are unreleased changesets, so the version pull request is opened or updated.
 * - release: the version pull request was merged, and its versions are not published yet.
 */
async function stepOf(channel: string | undefined): Promise<"canary" | "version" | "release" | "none"> {
  if (channel === "canary") return "canary";
  if (globSync(".changeset/*.md", { cwd: root }).length > 0) return "version";
  return (await unpublishedOf(publishedPackages(root), npmRegistry)).length > 0 ? "release" : "none";
}
