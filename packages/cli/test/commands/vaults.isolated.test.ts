import { beforeEach, describe, expect, it, vi } from "vitest";
import { readUnlocked } from "../../src/unlocked/unlocked-vaults.js";
import { fakePages, fakeUnlocked, startFakeVaults } from "../testing/fake-vaults.js";

vi.mock("../../src/unlocked/unlocked-vaults.js", () => ({ readUnlocked: vi.fn() }));
beforeEach(() => void vi.mocked(readUnlocked).mockResolvedValue(fakeUnlocked));

async function startWithWork() {
  const fake = await startFakeVaults();
  fake.vaults.set("v-2", "Work");
  fake.add("i-2", { title: "At work", fields: [] }, { vaultId: "v-2" });
  return fake;
}

describe("vaults", () => {
  it("list shows names, roles and keys", async () => {
    const { run } = await startWithWork();
    const { out } = await run(["vaults", "list"]);
    expect(out).toMatch(/^ +NAME +VAULT +ROLE +KEY\n +Personal +v-1 +owner +no key\n +Work +v-2/);
  });

  it("use makes a vault the default of every command", async () => {
    const { run } = await startWithWork();
    expect(await run(["items", "list"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("platform vaults use <vault>\n  Personal (v-1)\n  Work (v-2)"),
    });
    expect((await run(["vaults", "use", "work"])).out).toBe('Commands use the vault "Work" (v-2) by default.\n');
    expect((await run(["items", "list"])).out).toContain("At work");
    const listed = (await run(["vaults", "list", "--json"])).out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(listed.map(({ isDefault }) => isDefault)).toEqual([false, true]);
    expect((await run(["items", "list", "--vault", "Personal"])).out).toContain("There are no items in v-1");
  });

  it.each([
    ["Wrok", 'There is no vault "Wrok". Did you mean "Work"?'],
    ["Twice", '2 vaults have the name "Twice". Specify one by its id:\n  Twice (v-3)\n  Twice (v-4)'],
  ])("--vault %s ends with 2", async (name, message) => {
    const { run, vaults } = await startWithWork();
    vaults.set("v-3", "Twice").set("v-4", "Twice");
    expect(await run(["items", "list", "--vault", name])).toMatchObject({ code: 2, err: `${message}\n` });
  });

  it("create opens a page with the name in the fragment, and prints the vault that appears", async () => {
    const { run, vaults } = await startFakeVaults();
    const sleep = async () => void vaults.set("v-9", "Side project");
    const { code, out, err } = await run(["vaults", "create", "Side project"], { sleep });
    expect([code, out]).toEqual([0, "v-9\n"]);
    expect(err).toContain(`${fakePages}/console#new-vault=Side%20project\n`);
    expect(err).toContain("run: platform unlock");
  });
});

describe("complete", () => {
  it.each([
    [["vaults"], "Personal\nWork\n"],
    [["items", "--vault", "Work"], "At work\n"],
    [["deleted", "--vault", "Work"], ""],
    [["items"], ""],
  ])("%j prints the words that can follow: %j", async (words, out) => {
    const { run } = await startWithWork();
    expect(await run(["complete", ...words])).toEqual({ code: 0, out, err: "" });
  });

  it("prints nothing without a session", async () => {
    const { run } = await startWithWork();
    expect(await run(["complete", "vaults"], {}, { PLATFORM_CONFIG_DIR: "/nowhere" })).toEqual({
      code: 0,
      out: "",
      err: "",
    });
  });
});
