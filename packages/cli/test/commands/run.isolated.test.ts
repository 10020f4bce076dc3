import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readUnlocked } from "../../src/unlocked/unlocked-vaults.js";
import { fakeUnlocked, startFakeVaults } from "../testing/fake-vaults.js";
import { temporaryFolder } from "../testing/run-program.js";

vi.mock("../../src/unlocked/unlocked-vaults.js", () => ({ readUnlocked: vi.fn() }));
beforeEach(() => void vi.mocked(readUnlocked).mockResolvedValue(fakeUnlocked));

const secret = "correct horse";

async function start() {
  const fake = await startFakeVaults();
  fake.vaults.set("v-2", "Work/Ops");
  const fields = [{ name: "password", type: "secret", value: secret }] as const;
  fake.add("i-1", { title: "Data base", fields }, { vaultId: "v-2" });
  fake.add("forged-1", { title: "Forged", fields });
  fake.add("older-1", { title: "Older", fields });
  const unfit = [`${secret}\0`, `${secret}\ud800`].map((value) => ({ name: "unfit", type: "secret", value }) as const);
  const file = { name: "file", type: "file", value: "_wo" } as const;
  fake.add("i-2", { title: "Unfit", fields: [...unfit, file] });
  /** Runs a script of the shell. What it prints goes to the process of the test, and so to a file instead. */
  const run = async (script: string, environment: Record<string, string>, words: readonly string[] = []) => {
    const file = join(await temporaryFolder(), "out");
    const shell = ["sh", "-c", script, file];
    return {
      ...(await fake.run(["run", ...words, "--", ...shell], {}, { PATH: "/usr/bin:/bin", ...environment })),
      file,
    };
  };
  return { ...fake, run };
}

describe("run", () => {
  it("gives a command the secrets to which its environment refers, and returns its exit code", async () => {
    const { run } = await start();
    const test = `test "$DB" = "${secret}" && test "$OTHER" = "see pvault://a/b/c" && test "$FROM" = "${secret}" && exit 7`;
    const env = join(await temporaryFolder(), "app.env");
    await writeFile(env, '\ufeffexport FROM="pvault://v-2/i-1/password" # from a vault\r\n', "utf16le");
    const variables = { DB: "pvault://Work%2FOps/Data base/password", OTHER: "see pvault://a/b/c" };
    expect(await run(test, variables, ["--env-file", env])).toMatchObject({ code: 7, err: "" });
  });

  it("without a reference needs no session, and ends with 128 and the number of the signal", async () => {
    const { run } = await start();
    expect(await run("kill -TERM $$", { PLATFORM_CONFIG_DIR: "/nowhere" })).toMatchObject({ code: 143, err: "" });
  });

  it.each([
    ["pvault://Work%2FOps/Data base/pin", 1, 'DB: "Data base" has no field "pin".'],
    ["pvault://Work%2FOps/Missing/password", 1, 'DB: There is no item "Missing"'],
    ["pvault://Missing/i-1/password", 2, 'DB: There is no vault "Missing".'],
    ["pvault://v-2/i-1", 2, "DB is not a valid reference."],
    ["pvault://v-1/i-2/unfit", 2, 'DB: The item has 2 fields "unfit". Specify one of them: unfit[1], unfit[2].'],
    ["pvault://v-1/i-2/unfit[1]", 1, "DB: The value cannot be in a variable: it contains NUL"],
    ["pvault://v-1/i-2/unfit%5B2%5D", 1, 'DB: The field "unfit" contains a half of a character, which has'],
    ["pvault://v-1/i-2/file", 1, "DB: The value cannot be in a variable"],
    ["pvault://v-1/older-1/password", 1, "DB: This is older than what you saw"],
  ])("%s ends with %d before the command starts: %s", async (DB, code, message) => {
    const { run } = await start();
    const { file, ...result } = await run("echo started > $0", { DB, GOOD: "pvault://v-2/i-1/password" });
    expect(result).toMatchObject({ code, out: "", err: expect.stringContaining(message) });
    expect(result.err).not.toContain(secret);
    await expect(readFile(file)).rejects.toThrow("ENOENT");
  });

  it("says that a command does not exist", async () => {
    const { run } = await startFakeVaults();
    expect(await run(["run", "--", "/nowhere/program"])).toMatchObject({
      code: 1,
      err: "/nowhere/program cannot be started (ENOENT).\n",
    });
  });

  it("an environment file that is not UTF-8 is refused", async () => {
    const { run } = await start();
    const env = join(await temporaryFolder(), "app.env");
    await writeFile(env, `A=${secret}\xfc`, "latin1");
    expect(await run("exit 7", {}, ["--env-file", env])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^\S+app\.env is not UTF-8/),
    });
  });
});
