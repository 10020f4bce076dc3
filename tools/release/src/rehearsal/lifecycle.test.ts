import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { publishedPackages, root } from "../workspace.ts";
import { commandsUnder } from "./lifecycle.ts";

const page = readFileSync(join(root, "docs/versioning.md"), "utf8");

it.each(["Deprecate a release", "Withdraw a bad release"])("docs/versioning.md: %s names every package", (heading) => {
  const [, named = ""] = /^for package in (.*); do$/m.exec(commandsUnder(heading, page)) ?? [];
  const names = publishedPackages(root).map(({ manifest }) => manifest.name.replace("@platform-rpc/", ""));
  expect(named.split(" ").sort()).toEqual(names.sort());
});

it("a heading without commands is an error: the rehearsal would carry out nothing", () => {
  expect(() => commandsUnder("Support", page)).toThrow('shows no commands under "Support"');
  expect(() => commandsUnder("One", "\n### One\n\ntext\n\n### Two\n\n```sh\ntrue\n```\n")).toThrow("no commands");
});
