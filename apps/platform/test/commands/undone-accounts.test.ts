import { join } from "node:path";
import { createSqliteStorage } from "@platform-rpc/server";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";
import { accountsIn } from "./testing/accounts-in.js";

describe("DECISIONS section 9: a restore brings back what was removed since, and names the accounts", () => {
  it("platform restore: the people concerned must confirm their recovery code", async () => {
    const DATA_DIR = await temporaryFolder();
    const backup = join(await temporaryFolder(), "backup");
    const path = join(DATA_DIR, "platform.sqlite");
    const storage = createSqliteStorage({ path });
    const accounts = accountsIn(storage);
    for (const id of ["ada", "ben", "cleo", "eve"]) await accounts.signUp(id);
    await accounts.replaceCode("cleo");
    await storage.backUp(backup);
    await accounts.replaceCode("ada");
    await accounts.removePasskey("ben");
    await accounts.signUp("dan");
    await accounts.replaceCode("dan");
    await accounts.signUp("fay");
    await accounts.deleteAccount("fay");
    await accounts.replaceCode("eve");
    await accounts.deleteAccount("eve");
    await storage.close();

    const program = runProgram("main", { DATA_DIR, ACCOUNTS_TENANT: "acme" }, { args: ["restore", backup] });
    expect(await program.ended).toBe(0);
    expect(program.out()).toMatch(/Each person must confirm their recovery code, or create a new one/);
    const named = [...program.out().matchAll(/^ {2}- (\w+): (.+) at \S+Z$/gm)].map(([, id, what]) => [id, what]);
    expect(program.out()).toMatch(/These accounts were created since, and are lost .*\n {2}- dan: /);
    expect(named).toEqual([
      ["dan", "created"],
      ["ada", "recovery code replaced"],
      ["ben", "passkey removed"],
      ["eve", "deleted"],
    ]);
    const restored = createSqliteStorage({ path });
    const after = accountsIn(restored);
    expect(await after.mustConfirm("ada")).toBe(true);
    expect(await after.mustConfirm("ben")).toBe(true);
    expect(await after.mustConfirm("cleo")).toBe(false);
    // The backup brought it back.
    expect([await after.passkeys("ada"), await after.passkeys("ben")]).toEqual([1, 0]);
    expect(program.out()).toMatch(/These accounts were deleted again\..*\n {2}- eve: deleted at /);
    expect(await after.exists("eve")).toBe(false);
    await restored.close();
  });

  it("platform restore in a new place says that it does not know them", async () => {
    const folder = await temporaryFolder();
    const backup = join(folder, "backup");
    const storage = createSqliteStorage({ path: join(folder, "platform.sqlite") });
    await accountsIn(storage).signUp("ada");
    await storage.backUp(backup);
    await storage.close();
    const environment = { DATA_DIR: await temporaryFolder(), ACCOUNTS_TENANT: "acme" };
    const program = runProgram("main", environment, { args: ["restore", backup] });
    expect(await program.ended).toBe(0);
    expect(program.out()).toContain("It is not known who replaced their recovery code, removed a passkey or deleted");
  });
});
