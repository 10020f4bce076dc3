import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Contract } from "../model/contract.ts";
import { contractAt } from "../testing/contract-copy.ts";
import { readRelease, releasedFolder, writeRelease } from "./baseline.ts";
import { type ChangeOrigin, GitError, readHistory } from "./history.ts";
import { readPackageApis } from "./package-apis.ts";
import { checkBreaking, record, release } from "./release.ts";

const item = "proto/platform/v1/item.proto";
const report = "packages/client/api.md";
const migration = "packages/server/src/storage/postgres/migrations/0103-notes.ts";
const field = "Item.note";
const packages = ["types", "client", "server"];

let template: string;
let root: string;

function git(...args: readonly string[]): string {
  const settings = ["user.name=test", "user.email=test@example.com", "commit.gpgsign=false", "core.fsync=none"];
  return execFileSync("git", [...settings.flatMap((each) => ["-c", each]), ...args], {
    cwd: root,
    stdio: "pipe",
    encoding: "utf8",
  }).trim();
}

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
const removeField = () => edit(item, "  string kind = 2;\n", "");
const toEdition = (presence: string) => {
  edit(item, 'syntax = "proto3"', 'edition = "2023"');
  edit(item, "message", `option features.field_presence = ${presence};\n\nmessage`);
};
const removeExport = () => edit(report, "export declare function call(): void;\n", "");
const writeChangeset = (step: string, text = "Words.", of = "types") =>
  write(`.changeset/${step}.md`, `---\n"@platform-rpc/${of}": ${step}\n---\n\n${text}\n`);
const consumeChangesets = () => rmSync(join(root, ".changeset"), { recursive: true, force: true });

function commit(message = "change"): void {
  git("add", ".");
  git("commit", "--quiet", "--allow-empty", `--message=${message}`);
}

/** Commits on main, and starts a change there. */
function merge(...tags: readonly string[]): void {
  commit();
  git("branch", "--force", "main");
  for (const tag of tags) git("tag", tag);
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

const findings = async (origin: ChangeOrigin = {}) => checkBreaking(await current(), await readHistory(root, origin));
const faults = async (origin: ChangeOrigin = {}) =>
  (await findings(origin)).filter(({ verdict }) => verdict !== "noted").map(({ rule }) => rule);
const tryRelease = async (first = false) =>
  (await release(await current(), await readHistory(root), first)).map(({ rule }) => rule);

/** Adds a changeset about a field to main. */
const announce = (name = "note") => [writeChangeset("minor", `Adds \`Item.${name}\`.`), merge()];

/** Raises the versions and releases. */
async function releaseAs(version: string): Promise<void> {
  consumeChangesets();
  setVersion(version);
  expect(await tryRelease()).toEqual([]);
}

/** Writes the files of a release as `pnpm contract release` does, without its checks. */
async function forge(version: string | undefined): Promise<void> {
  const { apis, ...rest } = await current();
  expect(await record({ apis, ...rest }, { version, apis })).toEqual([]);
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
  expect(await tryRelease(true)).toEqual([]);
  git("init", "--quiet", "--template=", "--initial-branch=main");
  commit("draft");
  git("checkout", "--quiet", "-b", "change");
  await releaseAs("1.0.0");
  merge("v1.0.0");
  commit("start");
});
afterAll(() => rmSync(template, { recursive: true }));
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "released-"));
  cpSync(template, root, { recursive: true });
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
    [
      "a private package added",
      () => write("proto/platform/internal/v1/item.proto", 'syntax = "proto3";\n\npackage platform.internal.v1;\n'),
      [],
    ],
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
    commit();
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
    git("tag", "v1.1.0", "main");
    expect(await tryRelease()).toEqual([]);
    expect(await faults()).toEqual([]);
  });

  it("a branch of backports has releases of its own", async () => {
    const fix = async (version: string) => {
      await releaseAs(version);
      commit();
      expect(await faults()).toEqual([]);
      git("branch", "--force", "release/1.0");
      git("tag", `v${version}`);
    };
    git("branch", "release/1.0");
    announce();
    addField();
    await releaseAs("1.1.0");
    merge("v1.1.0");
    git("checkout", "--quiet", "-B", "fix", "release/1.0");
    await fix("1.0.1");
    await fix("1.0.2");
  });
});

describe("before the first release", () => {
  beforeEach(() => {
    git("tag", "--delete", "v1.0.0");
    git("checkout", "--quiet", "-B", "change", "main^");
    git("branch", "--force", "main");
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
    commit();
    addField("more", 10);
    setVersion("1.2.0");
    expect(await tryRelease()).toEqual(["release-version"]);
    await forge("1.2.0");
    commit();
    expect(await faults()).toContain("release-version");
  });

  it("the image of another release", async () => {
    announce();
    addField();
    await releaseAs("1.1.0");
    merge("v1.1.0");
    git("checkout", "--quiet", "v1.0.0", "--", releasedFolder);
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
    git("checkout", "--quiet", "v1.0.0", "--", releasedFolder, "packages", item);
    expect(await faults()).toEqual(["released-changed"]);
  });

  it("a damaged main accepts the release of the newest tag, and nothing else", async () => {
    await forge(undefined);
    merge();
    addField();
    expect(await faults()).toEqual(["released-changed", "field-added"]);
    git("checkout", "--quiet", "v1.0.0", "--", releasedFolder);
    expect(await faults()).toEqual(["field-added"]);
  });

  it("a branch of the change with the name of a branch of backports", async () => {
    await forged("1.0.1", removeField)();
    commit();
    git("branch", "release/9.9");
    commit("more");
    expect(await faults({ target: "main" })).toEqual(["release-version", "field-removed"]);
  });

  it("a tag of the change itself does not count", async () => {
    await forged("9.0.0", removeField)();
    commit();
    git("tag", "v9.0.0");
    expect(await faults()).toContain("field-removed");
  });

  it("a tag of another version than its commit has released stops the comparison", async () => {
    git("tag", "v9.0.0", "main");
    expect(await findings()).toMatchObject([{ rule: "release-tag", verdict: "unjudged" }]);
    expect(await tryRelease()).toEqual(["release-tag"]);
  });

  it("a tag of another form is not the one of a release", async () => {
    git("tag", "v2.0.0-next.1", "main");
    expect(await faults()).toEqual([]);
  });

  it("a changeset that the same change adds and consumes asks for nothing", async () => {
    writeChangeset("major");
    commit();
    consumeChangesets();
    setVersion("2.0.0");
    expect(await tryRelease()).toEqual(["release-version"]);
  });
});

describe("what a change starts from", () => {
  /** A commit on main that breaks callers. */
  const breakMain = () => {
    removeField();
    merge();
    git("checkout", "--quiet", "main");
  };

  it("is the merge base on a branch, even if main went on", async () => {
    git("checkout", "--quiet", "main");
    writeChangeset("minor", field);
    commit();
    addField();
    await releaseAs("1.1.0");
    commit();
    git("tag", "v1.1.0");
    git("checkout", "--quiet", "change");
    expect(await faults()).toEqual([]);
  });

  it("is the newest release, also for the commits after it on main", async () => {
    breakMain();
    commit("more");
    expect(await faults()).toEqual(["field-removed"]);
  });

  it("is the commit that was pushed onto, if several were pushed together", async () => {
    git("checkout", "--quiet", "main");
    const before = git("rev-parse", "HEAD");
    await forge(undefined);
    commit();
    commit("last");
    git("tag", "--delete", "v1.0.0");
    expect(await faults({ pushedOnto: before })).toEqual(["released-changed"]);
  });

  it.each([
    ["a commit that was pushed onto and not fetched", "0123456789".repeat(4), "origin 0123456789"],
    ["main that was not fetched", undefined, "origin +main:refs/remotes/origin/main"],
  ])("%s stops the comparison, and the finding names the command", async (_what, pushedOnto, command) => {
    git("remote", "add", "origin", "https://example.com/origin.git");
    const [found] = await findings({ pushedOnto });
    expect(found).toMatchObject({ rule: "merge-base", verdict: "unjudged" });
    expect(found?.message).toContain(`Fix: git fetch --tags ${command}`);
  });

  it.each([
    ["the merge base", ["--depth=1"], "merge-base", "origin +main:refs/remotes/origin/main"],
    ["the tag of the release", ["--depth=2", "--no-single-branch"], "release-tag", "origin"],
  ])(
    "a shallow clone without %s stops the comparison, and the finding names the command",
    async (_what, depth, rule, command) => {
      addField();
      merge();
      commit("last");
      const origin = root;
      onTestFinished(() => rmSync(origin, { recursive: true }));
      root = mkdtempSync(join(tmpdir(), "released-clone-"));
      git("clone", "--quiet", ...depth, pathToFileURL(origin).href, ".");
      const [found] = await findings();
      expect(found).toMatchObject({ rule, verdict: "unjudged" });
      expect(found?.message).toContain(`Fix: git fetch --tags --unshallow ${command}`);
    },
  );

  it.each<[what: string, prepare: () => void, command: string, fix: string]>([
    ["no git", () => vi.stubEnv("PATH", ""), "git rev-parse", "install git"],
    [
      "a folder of another owner",
      () => vi.stubEnv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1"),
      "git rev-parse",
      "git config --global --add safe.directory",
    ],
    [
      "no commit",
      () => [rmSync(join(root, ".git"), { recursive: true }), git("init", "--quiet")],
      "git rev-parse HEAD",
      "make the first commit",
    ],
    [
      "a worktree of a repository that was moved",
      () => {
        rmSync(join(root, ".git"), { recursive: true });
        write(".git", "gitdir: /moved/.git/worktrees/change\n");
      },
      "git rev-parse",
      "git worktree repair",
    ],
    ["a damaged repository", () => rmSync(join(root, ".git/HEAD")), "git rev-parse HEAD", "run this command"],
    [
      "a file of the release that git cannot read",
      () => {
        const blob = git("rev-parse", `v1.0.0:${releasedFolder}/packages.json`);
        rmSync(join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
      },
      "git cat-file blob",
      "run this command",
    ],
  ])(
    "%s stops the comparison, and the message names the command and what to do",
    async (_what, prepare, command, fix) => {
      prepare();
      onTestFinished(() => void vi.unstubAllEnvs());
      const error = await findings().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(GitError);
      expect(String(error)).toMatch(
        new RegExp(`\`${command}.*\` failed in .*: .+\nNothing was compared.\nFix: .*${fix}`, "s"),
      );
    },
  );

  it("is the branch of a remote with any name", async () => {
    git("remote", "add", "fork", "https://example.com/fork.git");
    git("remote", "add", "upstream", "https://example.com/upstream.git");
    git("update-ref", "refs/remotes/upstream/main", "main");
    git("branch", "--delete", "--force", "main");
    removeField();
    commit();
    expect(await faults()).toEqual(["field-removed"]);
  });

  it("without main and without a remote stops the comparison", async () => {
    git("branch", "--delete", "--force", "main");
    expect(await findings()).toMatchObject([{ rule: "merge-base", verdict: "unjudged" }]);
  });

  it("without a repository only the recorded files are compared, except in a pull request", async () => {
    rmSync(join(root, ".git"), { recursive: true });
    expect(await findings()).toMatchObject([{ rule: "merge-base", verdict: "noted" }]);
    expect(await findings({ target: "main" })).toMatchObject([{ rule: "merge-base", verdict: "unjudged" }]);
    expect((await readRelease(async (file) => readFileSync(join(root, file)))).version).toBe("1.0.0");
    edit(`${releasedFolder}/packages.json`, "call", "cell");
    expect(await findings()).toMatchObject([{ rule: "merge-base" }, { rule: "baseline", verdict: "unjudged" }]);
  });
});
