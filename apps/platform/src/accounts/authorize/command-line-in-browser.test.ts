import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { openPersonPage, startChromium, withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { signInWithCode, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import { createMemorySessionStore } from "@platform-rpc/client/session";
import { createBrowserSession } from "@platform-rpc/client/session-loopback";
import { freePort } from "@platform-rpc/testbed/network";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newTemporaryFolder } from "../../testing/temporary-folder.js";
import { startSite } from "../testing/start-site.js";

const packages = new URL("../../../../../packages/", import.meta.url);
const program = fileURLToPath(new URL("cli/dist/main.js", packages));
const example = fileURLToPath(new URL("client/examples/session-loopback.ts", packages));

describe.skipIf(withoutChromium)("RFC 8252: a program on the computer of a person who is signed in", () => {
  const started = new AsyncDisposableStack();
  let site: Awaited<ReturnType<typeof startSite>>;
  let page: Page;
  let home: string;

  beforeAll(async () => {
    // The API must know the accounts origin before it listens.
    site = started.use(await startSite({ ACCOUNTS_PORT: String(await freePort()) }));
    const folder = await newTemporaryFolder();
    started.defer(folder.remove);
    home = folder.path;
    const browser = started.use(await startChromium());
    ({ page } = started.use(await openPersonPage(browser)));
    await page.goto(`${site.origin}/sign-in`);
    await signInWithCode(page, await readFile(site.recoveryCodeFile ?? "", "utf8"));
  });
  afterAll(() => started.disposeAsync());

  /** Runs the program `platform`, whose browser writes the page down that it opens. */
  async function run(...words: string[]) {
    const [opener, opened] = [join(home, "browser"), join(home, "opened.txt")];
    await writeFile(opener, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o700 });
    const child = spawn(process.execPath, [program, ...words], { env: { HOME: home, BROWSER: opener } });
    const shown = Promise.all([text(child.stdout), text(child.stderr)]);
    const ended = once(child, "close").then(async () => ({ code: child.exitCode, shown: (await shown).join("") }));
    const openedPage = async () => {
      await expect.poll(() => readFile(opened, "utf8").catch(() => "")).toMatch(/request_uri=.*\w$/);
      return readFile(opened, "utf8");
    };
    return { openedPage, ended };
  }

  it("platform login: the page opens, the person approves, and the program works as them", async () => {
    const login = await run("login", "--url", site.publicUrl);
    await page.goto(await login.openedPage());
    await waitForTitle(page, "Platform CLI wants to use your vault");
    await page.getByText("a program on this computer").waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "You can close this page");
    const { code, shown } = await login.ended;
    expect([code, shown]).toEqual([0, expect.stringContaining(`You are signed in to ${site.publicUrl}`)]);
    expect(shown).not.toMatch(/enter the code/);
    const listed = await (await run("items", "list", "--vault", "demo-vault")).ended;
    expect([listed.code, listed.shown]).toEqual([0, expect.stringContaining("demo-login")]);
  });

  it("the example of the client's README: the person approves, and the program deletes an item of the demo", async () => {
    const environment = { ACCOUNTS_URL: site.origin, PLATFORM_URL: site.publicUrl, PATH: "", HOME: home };
    const child = spawn(process.execPath, [example], { env: environment });
    const shown = Promise.all([text(child.stdout), once(child, "close")]);
    const [prompt] = await once(child.stderr.setEncoding("utf8"), "data");
    await page.goto(/^Open on this computer: (\S+)\n$/.exec(prompt)?.[1] ?? "");
    await waitForTitle(page, "Demo agent wants to use your vault");
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "You can close this page");
    expect(await shown).toEqual(["demo-login is deleted at version 2\n", [0, null]]);
  });

  it.each([
    ["Approve", "resolves", undefined],
    ["Deny", "rejects with ACCESS_DENIED", "ACCESS_DENIED"],
  ] as const)("createBrowserSession: after %s, logIn %s", async (button, _, reason) => {
    const store = createMemorySessionStore();
    const session = createBrowserSession({
      issuer: site.origin,
      resource: site.publicUrl,
      clientId: "platform-cli",
      store,
      scopes: ["vault.items:read", "vault.items:delete"],
    });
    const decide = async (address: string) => {
      await page.goto(address);
      await page.getByRole("button", { name: button }).click();
      await waitForTitle(page, "You can close this page");
    };
    let decided: Promise<void> | undefined;
    const login = session.logIn({
      onPrompt: ({ authorizationUri }) => {
        decided = decide(authorizationUri);
      },
    });
    if (reason !== undefined) {
      await expect(login).rejects.toMatchObject({ reason });
    } else {
      await login;
      expect(await session.scopes()).toEqual(expect.arrayContaining(["vault.items:delete"]));
      const first = await session.token();
      const renewed = await session.token({ reason: "rejected" });
      expect(renewed.accessToken.reveal()).not.toBe(first.accessToken.reveal());
      await session.signOut();
    }
    await decided;
    expect(await store.load()).toBeUndefined();
  });
});
