import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { foreignTeamsIn } from "./foreign-teams.ts";
import { root } from "./workspace.ts";

it("reports each team of another organization once", () => {
  const codeOwners = "# @some/one\n/a/ @acme/core @other/team @ada\n/b/ @other/team\n";
  const finding = ".github/CODEOWNERS names @other/team, which is not a team of Acme. Name one with write access.";
  expect(foreignTeamsIn(codeOwners, "Acme/platform")).toEqual([finding]);
});

it("the released contract, the workflows and the release tools have an owner", () => {
  const codeOwners = readFileSync(join(root, ".github/CODEOWNERS"), "utf8");
  for (const path of ["/tools/contract/released/", "/.github/", "/tools/release/"])
    expect(codeOwners).toMatch(new RegExp(`^${path} @`, "m"));
});
