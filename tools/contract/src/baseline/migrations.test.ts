import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type ContractCopy, contractAt, copyContract } from "../testing/contract-copy.ts";
import { breaking } from "./breaking.ts";
import { release } from "./release.ts";

const today = "2027-01-01";
const storage = "packages/server/src/storage";
const released = [
  `${storage}/sqlite/database/schema.ts`,
  `${storage}/postgres/schema.ts`,
  `${storage}/postgres/schema/tables.ts`,
  `${storage}/postgres/migrations/0103-notes.ts`,
];

let copy: ContractCopy;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(copy.root, file)), { recursive: true });
  writeFileSync(join(copy.root, file), text);
}

const releaseAs = async (version: string, first = false) => {
  write("packages/types/package.json", JSON.stringify({ name: "@platform-rpc/types", version }));
  return (await release(copy.root, await contractAt(copy.root), { first }, today)).map(({ rule }) => rule);
};
const findings = () => breaking(copy.root, contractAt(copy.root), today);

beforeAll(async () => {
  copy = copyContract();
  write("packages/server/package.json", JSON.stringify({ name: "@platform-rpc/server" }));
  for (const file of released) write(file, 'export const schema = "CREATE TABLE items (id text)";\n');
  expect(await releaseAs("0.0.0", true)).toEqual([]);
  expect(await findings()).toEqual([]);
  expect(await releaseAs("1.0.0")).toEqual([]);
});
afterAll(() => copy[Symbol.dispose]());

it.each(released.flatMap((file) => [[file, "edited"] as const, [file, "removed"] as const]))(
  "the released %s cannot be %s, not even with a major changeset and a major version",
  async (file, event) => {
    const before = readFileSync(join(copy.root, file), "utf8");
    onTestFinished(() => {
      write(file, before);
      rmSync(join(copy.root, ".changeset"), { recursive: true });
    });
    write(".changeset/change.md", `---\n"@platform-rpc/server": major\n---\n\nChanges \`${file}\`.\n`);
    if (event === "edited") appendFileSync(join(copy.root, file), "// More.\n");
    else rmSync(join(copy.root, file));
    expect(await findings()).toMatchObject([{ rule: "migration-changed", verdict: "fails", place: { file } }]);
    expect(await releaseAs("2.0.0")).toEqual(["migration-changed"]);
  },
);

it("a migration may be added, and other files of a storage may change", async () => {
  write(`${storage}/postgres/migrations/0104-more.ts`, "export {};\n");
  write(`${storage}/postgres/schema/tables.test.ts`, "export {};\n");
  write(`${storage}/postgres/rights.ts`, "export {};\n");
  expect(await findings()).toEqual([]);
});

it("before the first release, the schema may change", async () => {
  using draft = copyContract();
  const root = draft.root;
  const file = join(root, released[0] ?? "");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(join(root, "packages/server/package.json"), JSON.stringify({ name: "@platform-rpc/server" }));
  writeFileSync(file, "export {};\n");
  expect(await release(root, await contractAt(root), { first: true }, today)).toEqual([]);
  rmSync(file);
  expect(await breaking(root, contractAt(root), today)).toEqual([]);
});
