import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { demoUser } from "../demo-data/demo-files.js";
import { demoTenant } from "../settings/settings.js";
import { newCommandLine } from "../testing/command-line.js";
import { startTestApp, type TestApp } from "../testing/start-test-app.js";

let app: TestApp;
let commandLine: Awaited<ReturnType<typeof newCommandLine>>;
beforeAll(async () => {
  app = await startTestApp({ DEMO: "on" });
  commandLine = await newCommandLine(app);
});
afterAll(async () => {
  await app.end();
  await commandLine.remove();
});

/** What the commands of these tests need. */
const scopes = ["vault.items:read", "vault.items:delete", "vault.items:restore"];

const run = (...words: string[]) => commandLine.run(...words);
const itemLine = z.object({ itemId: z.string(), version: z.number(), deleted: z.boolean() });

// The tests follow each other: the first one signs in, and the last one out.
describe("the program platform", () => {
  it("signs in in a terminal: shows address, code and QR code, and waits for the approval", async () => {
    const login = commandLine.startInTerminal(["login", "--url", app.publicUrl, "--scope", ...scopes]);
    const userCode = await login.printed(/enter the code ([A-Z]{4}-[A-Z]{4})/);
    await login.printed(/(Waiting for your approval)/);
    await commandLine.approve(userCode);
    const { code, out } = await login.ended;
    expect(code).toBe(0);
    expect(out).toContain(`Open ${app.accountsUrl}/device`);
    expect(out).toMatch(/[▀▄█]{10}/);
    expect(out).toContain(`You are signed in to ${app.publicUrl} as Demo user (${demoUser}) of the tenant demo, with `);
    expect((await stat(join(commandLine.home, ".config/platform/session.json"))).mode & 0o777).toBe(0o600);
  });

  it("says who is signed in", async () => {
    const { out } = await run("whoami");
    expect(out).toContain(
      `name       Demo user\nprincipal  ${demoUser}\ntenant     ${demoTenant}\napi        ${app.publicUrl}`,
    );
    expect(out).toContain("vault.items:delete");
  });

  it("lists vaults, and uses one by default", async () => {
    expect((await run("vaults", "list")).out).toMatch(
      /^ +VAULT +ROLE +KEY\n +demo-user +owner +no key\n +demo-vault +owner +no key\n/,
    );
    expect(await run("vaults", "use", "demo-vualt")).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "demo-vault"?'),
    });
    expect(await run("vaults", "use", "demo-vault")).toMatchObject({ code: 0 });
    expect((await run("vaults", "list", "--json")).out).toContain('"isDefault":true');
    expect((await run("complete", "vaults")).out).toBe("demo-user\ndemo-vault\n");
    expect((await run("complete", "items")).out).toContain("demo-login\n");
  });

  it("has bold headings and the exit code 0 for its help on a terminal, and no escape sequence with NO_COLOR", async () => {
    const coloured = await commandLine.startInTerminal([], {}).ended;
    expect([coloured.code, coloured.out]).toEqual([0, expect.stringContaining("\u001b[1mExamples:\u001b[22m")]);
    const { code, out } = await commandLine.startInTerminal([]).ended;
    expect([code, out]).toEqual([0, expect.stringContaining("\nExamples:")]);
    expect(out).not.toContain("\u001b");
  });

  it("runs a command without secrets on the terminal itself, and ends as it does", async () => {
    const words = ["run", "--", "sh", "-c", "test -t 1 && exit 5"];
    expect(await commandLine.startInTerminal(words).ended).toMatchObject({ code: 5 });
  });

  it("lists, deletes and restores items, and follows the changes", async () => {
    const follower = commandLine.startProgram(["watch", "--json"]);
    await follower.printed(/("itemId":"demo-login")/);
    const listed = await run("items", "list");
    expect(listed.out).toMatch(/^ITEM +KIND +VERSION +UPDATED\n/);
    expect(listed.out).toMatch(/^demo-note +secure_note +1 +20/m);

    expect(await run("items", "delete", "demo-note", "--version", "1")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Deleted demo-note, version 2."),
    });
    await follower.printed(/("itemId":"demo-note"[^\n]*"deleted":true)/);
    const deleted = (await run("items", "list", "--deleted", "--json")).out
      .trim()
      .split("\n")
      .map((line) => itemLine.parse(JSON.parse(line)));
    expect(deleted).toContainEqual({ itemId: "demo-note", version: 2, deleted: true });

    expect(await run("items", "restore", "demo-note")).toMatchObject({
      code: 0,
      out: "Restored demo-note, version 3.\n",
    });
    follower.child.kill("SIGINT");
    const { code, err } = await follower.ended;
    expect([code, JSON.parse(err)]).toMatchObject([130, { error: { reason: "CANCELED" } }]);
  });

  it("prints the position to continue from when watch ends", async () => {
    const follower = commandLine.startProgram(["watch"]);
    await follower.printed(/(demo-login)/);
    follower.child.kill("SIGINT");
    const { code, err } = await follower.ended;
    expect(code).toBe(130);
    expect(err).toMatch(/To continue from here: platform watch --vault demo-vault --cursor [0-9]+\n\nCanceled/);
  });

  it("ends with 0 when the reader of its output has closed the pipe, as head does", async () => {
    const follower = commandLine.startProgram(["watch", "--json"]);
    await follower.printed(/("itemId":"demo-login")/);
    follower.child.stdout?.destroy();
    await run("items", "delete", "demo-note");
    expect(await follower.ended).toMatchObject({ code: 0, err: "" });
    await run("items", "restore", "demo-note");
  });

  it("rejects a restore of an item that is not deleted", async () => {
    expect(await run("items", "restore", "demo-note")).toMatchObject({
      code: 1,
      err: "Item demo-note is not deleted. There is nothing to restore.\n",
    });
  });

  it("names the current version after a conflict, and ends with 4", async () => {
    const { code, err } = await run("items", "delete", "demo-card", "--version", "9");
    expect(code).toBe(4);
    expect(err).toContain("The current version is 1. Look at the item, then repeat with --version 1.");
  });

  it("finds nothing wrong with a good session", async () => {
    const { code, out } = await run("doctor");
    expect(out.split("\n").filter((line) => line.startsWith("✗"))).toEqual([]);
    expect(code).toBe(0);
  });

  it("signs out on the server, too: a copy of the session is refused", async () => {
    const file = join(commandLine.home, ".config/platform/session.json");
    const copy = await readFile(file, "utf8");
    const mode = { mode: 0o600 };
    expect(await run("logout")).toMatchObject({ code: 0, out: `You are signed out of ${app.accountsUrl}.\n` });
    expect(await run("whoami")).toMatchObject({ code: 3 });
    await writeFile(file, JSON.stringify({ ...JSON.parse(copy), expiresAt: new Date(0).toISOString() }), mode);
    expect(await run("whoami")).toMatchObject({ code: 3, err: expect.stringContaining("The session has ended") });
    await writeFile(file, copy, mode);
    expect(await run("doctor")).toMatchObject({
      code: 1,
      out: expect.stringContaining("✗ session: UNAUTHENTICATED: The session has ended"),
    });
  });
});
