import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { openPersonPage, withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { proveWithCode, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { openConsole } from "../testing/console-steps.js";
import { withCommandLine } from "../testing/in-browser.js";

const example = fileURLToPath(new URL("../../../../../packages/client/examples/session-loopback.ts", import.meta.url));

const it = withCommandLine.skipIf(withoutChromium);

// The tests share a page, on which the person of the demo is signed in. The first one signs the program in.
describe("RFC 8252: a program on the computer of a person who is signed in", () => {
  let page: Page;
  withCommandLine.beforeAll(async ({ chromium, demo }) => {
    const person = await openPersonPage(chromium);
    ({ page } = person);
    await openConsole(page, demo);
    return async () => {
      await person.close();
      expect(person.takeProblems()).toEqual([]);
    };
  });

  it("platform login: the page opens, the person approves, and the program works as them", async ({
    demo,
    commandLine,
  }) => {
    const login = await commandLine.startWithBrowser("login", "--url", demo.publicUrl);
    await page.goto(await login.openedPage());
    await waitForTitle(page, "Platform CLI wants to use your vault");
    await page.getByText("a program on this computer").waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "You can close this page");
    const { code, out, err } = await login.ended;
    expect([code, out]).toEqual([0, expect.stringContaining(`You are signed in to ${demo.publicUrl}`)]);
    expect(out + err).not.toMatch(/enter the code/);
    const listed = await commandLine.run("items", "list", "--vault", "demo-vault");
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining("demo-login") });
  });

  it("platform vaults create: the page that opens asks for the vault, and the program prints its id", async ({
    commandLine,
  }) => {
    const create = await commandLine.startWithBrowser("vaults", "create", "Work & more");
    await page.goto(await create.openedPage());
    await page.getByRole("dialog", { name: "New vault" }).getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "Work & more" }).waitFor();
    const vaultId = new URL(page.url()).pathname.split("/").at(-1);
    expect(await create.ended).toMatchObject({ code: 0, out: `${vaultId}\n` });
  });

  it("the example of the client's README: the person approves, and the program deletes an item of the demo", async ({
    demo,
    commandLine,
  }) => {
    const environment = { ACCOUNTS_URL: demo.issuer, PLATFORM_URL: demo.publicUrl, PATH: "", HOME: commandLine.home };
    const child = spawn(process.execPath, [example], { env: environment });
    const shown = Promise.all([text(child.stdout), once(child, "close")]);
    const [prompt] = await once(child.stderr.setEncoding("utf8"), "data");
    await page.goto(/^Open on this computer: (\S+)\n$/.exec(prompt)?.[1] ?? "");
    await waitForTitle(page, "Demo agent wants to use your vault");
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "You can close this page");
    expect(await shown).toEqual(["demo-login is deleted at version 2\n", [0, null]]);
  });

  it("Sign out everywhere ends the session of the program if the person wants that", async ({ demo, commandLine }) => {
    const list = () => commandLine.run("items", "list", "--vault", "demo-vault");
    expect((await list()).code).toBe(0);
    await page.goto(`${demo.origin}/console/security`);
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign out everywhere?" });
    await dialog.getByLabel("Remove the access of all agents and apps, too").check();
    await proveWithCode(page, demo.recoveryCode);
    await page.waitForURL("**/sign-in?*");
    expect(await list()).toEqual({ code: 3, out: "", err: expect.stringContaining("Run: platform login") });
  });
});
