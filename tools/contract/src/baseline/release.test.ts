import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Contract } from "../model/contract.ts";
import { encodedFiles } from "../model/read-image.ts";
import { contractAt } from "../testing/contract-copy.ts";
import { readRelease, releasedFolder, writeRelease } from "./baseline.ts";
import type { Base, History } from "./history.ts";
import { readPackageApis } from "./package-apis.ts";
import { checkBreaking, record, release } from "./release.ts";

const item = "proto/platform/v1/item.proto";
const report = "packages/client/api.md";
const migration = "packages/server/src/storage/postgres/migrations/0103-notes.ts";
const field = "Item.note";
const packages = ["types", "client", "server"];

type Files = ReadonlyMap<string, Buffer>;

/** What main has: the files of each commit and tag, and the newest tag. */
interface Main {
  readonly tag: string | undefined;
  readonly files: ReadonlyMap<string, Files>;
}

let template: string;
let draft: Main;
let released: Main;
let root: string;
let main: Main;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function edit(file: string, place: string, replacement: string): void {
  const text = readFileSync(join(root, file), "utf8");
  expect(text).toContain(place);
  write(file, text.replace(place, replacement));
}

const setVersion = (version: string, names = packages) => {
  for (const name of names)
    write(`packages/${name}/package.json`, JSON.stringify({ name: `@platform-rpc/${name}`, version }));
};
const addField = (name = "note", number = 9) =>
  edit(item, "message Item {\n", `message Item {\n  string ${name} = ${number};\n`);
const addPrivate = () =>
  write("proto/platform/internal/v1/item.proto", 'syntax = "proto3";\n\npackage platform.internal.v1;\n');
const removeField = () => edit(item, "  string kind = 2;\n", "");
const toEdition = (presence: string) => {
  edit(item, 'syntax = "proto3"', 'edition = "2023"');
  edit(item, "message", `option features.field_presence = ${presence};\n\nmessage`);
};
const removeExport = () => edit(report, "export declare function call(): void;\n", "");
const writeChangeset = (step: string, text = "Words.", of = "types") =>
  write(`.changeset/${step}.md`, `---\n"@platform-rpc/${of}": ${step}\n---\n\n${text}\n`);
const consumeChangesets = () => rmSync(join(root, ".changeset"), { recursive: true, force: true });

function workspaceFiles(): Files {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => relative(root, join(entry.parentPath, entry.name)));
  return new Map(files.map((file) => [file, readFileSync(join(root, file))]));
}

function setMain(tag: string | undefined, revision: string, files: Files): void {
  main = { tag, files: new Map(main.files).set(revision, files) };
}

const tagMain = (tag: string) => setMain(tag, `refs/tags/${tag}`, main.files.get("main") ?? new Map());

/** Merges the workspace to main, and starts a change there. */
function merge(tag?: string): void {
  setMain(main.tag, "main", workspaceFiles());
  if (tag !== undefined) tagMain(tag);
}

/** Gives files of the workspace the content that they have in a revision of main. */
function restore(revision: string, ...places: readonly string[]): void {
  for (const [file, bytes] of main.files.get(revision) ?? [])
    if (places.some((place) => file.startsWith(place))) writeFileSync(join(root, file), bytes);
}

function history({ tag, files } = main): History & { readonly base: Base } {
  return {
    isShallow: false,
    base: {
      commit: "main",
      tag,
      remote: "origin",
      read: async (revision, file) => files.get(revision)?.get(file),
      list: async (folder) =>
        [...(files.get("main") ?? [])].map(([file]) => file).filter((file) => file.startsWith(folder)),
    },
  };
}

/** Contracts by their files, because few edits are different. */
const contracts = new Map<string, Promise<Contract>>();

async function current() {
  const files = globSync("{buf.yaml,proto/**/*.proto}", { cwd: root }).sort();
  const key = files.map((file) => `${file}\n${readFileSync(join(root, file), "utf8")}`).join("\n");
  const contract = contracts.get(key) ?? contractAt(root);
  contracts.set(key, contract);
  return { root, contract: await contract, apis: readPackageApis(root), today: "2027-01-01" };
}

const findings = async (from: History = history()) => checkBreaking(await current(), from);
const faults = async (from?: History) =>
  (await findings(from)).filter(({ verdict }) => verdict !== "noted").map(({ rule }) => rule);
const tryRelease = async (first = false, from: History = history()) =>
  (await release(await current(), from, first)).map(({ rule }) => rule);

/** Adds a changeset about a field to main. */
const announce = (name = "note") => [writeChangeset("minor", `Adds \`Item.${name}\`.`), merge()];

async function releaseAs(version: string): Promise<void> {
  consumeChangesets();
  setVersion(version);
  expect(await tryRelease()).toEqual([]);
}

/** Writes the files of a release as `pnpm contract release` does, without its checks. */
async function forge(version: string | undefined): Promise<void> {
  const forged = await current();
  record(forged, { version, apis: forged.apis });
}

/** Edits the workspace, and forges a release of it. */
const forged =
  (version: string, edits: () => void = () => undefined) =>
  async () => {
    edits();
    setVersion(version);
    await forge(version);
  };

beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), "released-"));
  root = template;
  write("buf.yaml", "version: v2\nmodules:\n  - path: proto\n");
  write(
    item,
    'syntax = "proto3";\n\npackage platform.v1;\n\nmessage Item {\n  // Kept for 60 s.\n  string id = 1;\n  string kind = 2;\n}\n',
  );
  write(report, "## @platform-rpc/client\n\n```ts\nexport declare function call(): void;\n```\n");
  write(migration, "export {};\n");
  setVersion("0.0.0");
  main = { tag: undefined, files: new Map() };
  expect(await tryRelease(true)).toEqual([]);
  merge();
  draft = main;
  await releaseAs("1.0.0");
  merge("v1.0.0");
  released = main;
});
afterAll(() => rmSync(template, { recursive: true }));
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "released-"));
  cpSync(template, root, { recursive: true });
  main = released;
});
afterEach(() => rmSync(root, { recursive: true }));

describe("DECISIONS section 8: the workspace is compared with the newest release", () => {
  it.each<[what: string, edits: () => void, rules: string[]]>([
    ["nothing", () => undefined, []],
    ["a field removed", removeField, ["field-removed"]],
    [
      "a field removed, with a major changeset",
      () => [removeField(), writeChangeset("major", "`Item.kind`")],
      ["field-removed"],
    ],
    [
      "what only buf detects, and buf.yaml excludes",
      () => {
        edit("buf.yaml", "modules", "breaking:\n  use: [WIRE]\n  ignore: [proto/platform]\nmodules");
        edit(item, "message", 'option java_package = "x";\n\nmessage');
      },
      ["buf-breaking"],
    ],
    ["a field added", addField, ["field-added"]],
    ["a field added, with its changeset", () => [addField(), writeChangeset("minor", `\`${field}\``)], []],
    ["a changeset of an unknown package", () => writeChangeset("minor", field, "typs"), ["changeset"]],
    ["an export removed", removeExport, ["api-breaking"]],
    ["an export removed, with its changeset", () => [removeExport(), writeChangeset("major", "`call`", "client")], []],
    [
      "a migration edited, with a major changeset",
      () => [write(migration, "0;\n"), writeChangeset("major", `\`${migration}\``, "server")],
      ["migration-changed"],
    ],
    [
      "a package of the contract added",
      () =>
        write(
          "proto/platform/v2/item.proto",
          'syntax = "proto3";\n\npackage platform.v2;\n\nmessage Item {\n  string id = 1;\n}\n',
        ),
      ["package-added"],
    ],
    [
      "a message moved to another file of its package",
      () => {
        write(item.replace("item", "moved"), readFileSync(join(root, item), "utf8"));
        rmSync(join(root, item));
      },
      [],
    ],
    ["proto3 written as an edition with the same features", () => toEdition("IMPLICIT"), []],
    [
      "an edition in which fields have another presence",
      () => toEdition("EXPLICIT"),
      ["presence-changed", "presence-changed"],
    ],
    ["fewer seconds", () => edit(item, "60 s", "10 s"), ["guarantee-weakened"]],
    [
      "fewer seconds, decided in a changeset",
      () => [edit(item, "60 s", "10 s"), writeChangeset("minor", "The comment of `Item.id` promises 10 s.")],
      [],
    ],
    ["a private package added", addPrivate, []],
  ])("%s", async (_what, edits, rules) => {
    edits();
    expect(await faults()).toEqual(rules);
  });
});

describe("a release goes up by exactly the step of what it contains, in all packages", () => {
  it.each<[what: string, before: () => void, edits: () => void, version: string]>([
    ["a patch", () => undefined, () => undefined, "1.0.1"],
    ["a patch with a changeset", () => writeChangeset("patch"), () => undefined, "1.0.1"],
    ["an addition", () => writeChangeset("minor", field), addField, "1.1.0"],
    ["an export removed", () => writeChangeset("major", "call", "client"), removeExport, "2.0.0"],
    ["what no tool sees, but a changeset says", () => writeChangeset("major"), () => undefined, "2.0.0"],
  ])("%s", async (_what, before, edits, version) => {
    before();
    merge();
    edits();
    for (const other of ["1.0.1", "1.1.0", "2.0.0"]) {
      if (other === version) continue;
      consumeChangesets();
      setVersion(other);
      expect(await tryRelease(), other).toEqual(["release-version"]);
    }
    await releaseAs(version);
    expect(await faults()).toEqual([]);
  });

  it("a breaking change of the contract, or an edited migration, is in no release", async () => {
    removeField();
    setVersion("2.0.0");
    expect(await tryRelease()).toEqual(["field-removed"]);
    edit(item, "message Item {\n", "message Item {\n  string kind = 2;\n");
    write(migration, "0;\n");
    expect(await tryRelease()).toEqual(["migration-changed"]);
  });

  it("a private package is in no release", async () => {
    addPrivate();
    await releaseAs("1.0.1");
    const { image } = await readRelease(async (file) => readFileSync(join(root, file)));
    expect([...encodedFiles(image).keys()]).toEqual(["platform/v1/item.proto"]);
  });

  it("the packages have the same version, which is the recorded one", async () => {
    setVersion("1.0.1", ["types", "client"]);
    expect(await tryRelease()).toEqual(["release-version"]);
    expect((await findings()).map(({ place }) => place.file)).toEqual([
      "packages/client/package.json",
      "packages/types/package.json",
    ]);
  });

  it("a release that is merged and not tagged yet is the one to compare with, and the next one waits for its tag", async () => {
    announce();
    addField();
    await releaseAs("1.1.0");
    announce("more");
    consumeChangesets();
    expect(await faults()).toEqual([]);
    removeField();
    expect(await faults()).toEqual(["field-removed"]);
    edit(item, "message Item {\n", "message Item {\n  string kind = 2;\n");
    addField("more", 10);
    expect(await faults()).toEqual(["field-added"]);
    setVersion("1.2.0");
    expect(await tryRelease()).toEqual(["release-version"]);
    tagMain("v1.1.0");
    expect(await tryRelease()).toEqual([]);
    expect(await faults()).toEqual([]);
  });
});

describe("before the first release", () => {
  beforeEach(() => {
    main = draft;
    restore("main", "");
  });

  it("a draft may be recorded again, whatever changed", async () => {
    removeField();
    expect(await faults()).toEqual(["field-removed"]);
    expect(await tryRelease(true)).toEqual([]);
    expect(await faults()).toEqual([]);
  });

  it("a schema or an export may change, because nobody uses it", async () => {
    write(migration, "0;\n");
    removeExport();
    expect(await faults()).toEqual([]);
  });

  it.each(["0.1.0", "1.0.0"])("%s may be the first version", async (version) => {
    await releaseAs(version);
    expect(await faults()).toEqual([]);
  });

  it.each(["0.0.1", "2.0.0", "next"])("%s may not", async (version) => {
    setVersion(version);
    expect(await faults()).toContain("release-version");
    expect(await tryRelease()).toEqual(["release-version"]);
    await forge(version);
    expect(await faults()).toContain("release-version");
  });
});

describe("a release cannot be forged", () => {
  const lessPromised = () => edit(item, "60 s", "10 s");
  it.each<[what: string, edits: () => Promise<void>, rules: string[]]>([
    ["its files removed", async () => rmSync(join(root, releasedFolder), { recursive: true }), ["released-changed"]],
    ["a file removed", async () => rmSync(join(root, releasedFolder, "contract.binpb")), ["released-changed"]],
    ["made a draft", () => forge(undefined), ["released-changed"]],
    ["its image replaced", forged("1.0.0", addField), ["released-changed", "field-added"]],
    ["edited by hand", async () => edit(`${releasedFolder}/packages.json`, "call", "cell"), ["released-changed"]],
    ["a lower version", forged("0.9.0", removeField), ["release-version", "field-removed"]],
    ["a lower version with nothing else", forged("0.9.0"), ["release-version"]],
    ["0.0.1", forged("0.0.1"), ["release-version"]],
    ["a version before a release", forged("1.0.1-rc.1"), ["release-version"]],
    ["a patch for an addition", forged("1.0.1", addField), ["release-version", "field-added"]],
    ["a minor version for a removed export", forged("1.1.0", removeExport), ["release-version", "api-breaking"]],
    ["a major version for a removed field", forged("2.0.0", removeField), ["release-version", "field-removed"]],
    ["two versions at once", forged("1.2.0", addField), ["release-version", "field-added"]],
    ["an addition that no changeset names", forged("1.1.0", addField), ["field-added"]],
    [
      "an addition that only a changeset of the same change names",
      forged("1.1.0", () => [addField(), writeChangeset("minor", field)]),
      ["field-added"],
    ],
    ["a promise that is less, which nobody has decided", forged("1.1.0", lessPromised), ["guarantee-weakened"]],
    ["an export removed that no changeset names", forged("2.0.0", removeExport), ["api-breaking"]],
    ["a version that is not recorded", async () => setVersion("1.0.1"), packages.map(() => "release-version")],
    ["a version of one package that is not recorded", async () => setVersion("1.0.1", ["types"]), ["release-version"]],
    [
      "a version of all packages but one",
      async () => [await forged("1.0.1")(), setVersion("1.0.0", ["server"])][0],
      ["release-version"],
    ],
    [
      "an image with something else",
      async () => {
        setVersion("1.0.1");
        const { apis, contract } = await current();
        // An unknown field, which says nothing.
        const image = Buffer.concat([contract.image, Buffer.of(0xf8, 0x07, 0)]);
        writeRelease(root, { version: "1.0.1", apis, image });
      },
      ["released-changed"],
    ],
    [
      "an image without the addition",
      async () => [await forged("1.0.1")(), addField()][0],
      ["released-changed", "field-added"],
    ],
  ])("%s", async (_what, edits, rules) => {
    await edits();
    expect(await faults()).toEqual(rules);
  });

  it("removed, recorded as a draft, lowered and released again", async () => {
    rmSync(join(root, releasedFolder), { recursive: true });
    removeField();
    expect(await tryRelease(true)).toEqual(["release-first"]);
    await forge(undefined);
    expect(await tryRelease(true)).toEqual(["release-first"]);
    setVersion("0.9.0");
    expect(await tryRelease()).toEqual(["field-removed"]);
    await forge("0.9.0");
    expect(await faults()).toContain("field-removed");
  });

  it("two releases in one change", async () => {
    announce();
    addField();
    await releaseAs("1.1.0");
    addField("more", 10);
    setVersion("1.2.0");
    expect(await tryRelease()).toEqual(["release-version"]);
    await forge("1.2.0");
    expect(await faults()).toContain("release-version");
  });

  it("the image of another release", async () => {
    announce();
    addField();
    await releaseAs("1.1.0");
    merge("v1.1.0");
    restore("refs/tags/v1.0.0", releasedFolder);
    edit(item, "  string note = 9;\n", "");
    setVersion("1.0.0");
    expect(await faults()).toEqual(["release-version", "field-removed"]);
    const { image, apis } = await readRelease(async (file) => readFileSync(join(root, file)));
    for (const version of ["1.1.0", "1.2.0"]) {
      writeRelease(root, { version, image, apis });
      setVersion(version);
      const rule = version === "1.1.0" ? "released-changed" : "release-version";
      expect(await faults(), version).toEqual([rule, "field-removed"]);
    }
  });

  it("a release that is merged taken back before it has its tag", async () => {
    announce();
    addField();
    await releaseAs("1.1.0");
    merge();
    restore("refs/tags/v1.0.0", releasedFolder, "packages", item);
    expect(await faults()).toEqual(["released-changed"]);
  });

  it("a damaged main accepts the release of the newest tag, and nothing else", async () => {
    await forge(undefined);
    merge();
    addField();
    expect(await faults()).toEqual(["released-changed", "field-added"]);
    restore("refs/tags/v1.0.0", releasedFolder);
    expect(await faults()).toEqual(["field-added"]);
  });

  it("a tag of another version than its commit has released stops the comparison", async () => {
    tagMain("v9.0.0");
    expect(await findings()).toMatchObject([{ rule: "release-tag", verdict: "unjudged" }]);
    expect(await tryRelease()).toEqual(["release-tag"]);
  });

  it("a changeset that the release itself adds asks for nothing", async () => {
    writeChangeset("major");
    setVersion("2.0.0");
    expect(await tryRelease()).toEqual(["release-version"]);
  });
});

describe("without the release to compare with", () => {
  it("a commit that was not fetched stops the comparison, and the finding names the command", async () => {
    const from: History = { base: undefined, why: "missing", fetch: "git fetch --tags origin" };
    const [found] = await findings(from);
    expect(found).toMatchObject({ rule: "merge-base", verdict: "unjudged" });
    expect(found?.message).toContain("Fix: git fetch --tags origin");
    expect(await tryRelease(false, from)).toEqual(["merge-base"]);
  });

  it("a tag that was not fetched stops the comparison, and the finding names the command", async () => {
    const [found] = await findings({ ...history({ ...main, tag: undefined }), isShallow: true });
    expect(found).toMatchObject({ rule: "release-tag", verdict: "unjudged" });
    expect(found?.message).toContain("Fix: git fetch --tags --unshallow origin");
  });

  it("without a repository only the recorded files are compared, except in a pull request", async () => {
    const from = { base: undefined, why: "none", isPullRequest: false } as const;
    expect(await findings(from)).toMatchObject([{ rule: "merge-base", verdict: "noted" }]);
    const inPullRequest = { ...from, isPullRequest: true };
    expect(await findings(inPullRequest)).toMatchObject([{ rule: "merge-base", verdict: "unjudged" }]);
    removeField();
    expect(await faults(from)).toEqual(["field-removed"]);
    edit(`${releasedFolder}/packages.json`, "call", "cell");
    expect(await findings(from)).toMatchObject([{ rule: "merge-base" }, { rule: "baseline", verdict: "unjudged" }]);
  });
});
