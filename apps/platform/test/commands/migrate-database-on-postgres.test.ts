import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import { expect, it, onTestFinished } from "vitest";
import { runApp, runProgram } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";
import { runCommand } from "./testing/run-command.js";

it("platform migrate-database creates the tables as their owner; the app serves as a role that owns nothing", async () => {
  const DATA_DIR = await temporaryFolder();
  const environment = { DATA_DIR, DEMO: "off", LOG_LEVEL: "warn" };
  const owner = (await testDatabase(DATA_DIR, { migrated: false })) ?? "";
  onTestFinished(() => dropTestDatabase(DATA_DIR));
  // The shared server has this role, which is a member of platform_app.
  const login = new URL(owner);
  login.username = "app_login";
  const asApp = { ...environment, DATABASE_URL: login.href };

  const early = runProgram("main", asApp);
  expect(await early.ended).toBe(1);
  expect(early.out() + early.err()).toContain(
    "Run the command migrate-database with the URL of the role that owns the database.",
  );
  expect(early.out() + early.err()).not.toContain("    at ");

  const refused = await runCommand(asApp, "migrate-database");
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.err).toContain("has no tables");

  const migrated = await runCommand({ ...environment, DATABASE_URL: owner }, "migrate-database");
  expect(migrated).toMatchObject({
    code: 0,
    err: "",
    out: expect.stringContaining("The tables have schema version 106."),
  });

  const app = await runApp(asApp);
  expect((await fetch(`${app.publicUrl}/readyz`)).status).toBe(200);
  expect(await app.stop()).toBe(0);
  const epoch = await runCommand(asApp, "begin-epoch");
  expect(epoch).toMatchObject({ code: 1, err: expect.stringContaining("Only the role that owns the tables") });
});

it("platform migrate-database without a PostgreSQL database says what to set", async () => {
  const DATA_DIR = await temporaryFolder();
  expect(await runCommand({ DATA_DIR }, "migrate-database")).toMatchObject({
    code: 1,
    err: expect.stringContaining("Set DATABASE_URL to the URL of the role that owns the database."),
  });
});
