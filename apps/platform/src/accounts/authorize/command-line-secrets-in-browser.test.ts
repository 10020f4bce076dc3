import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newTemporaryFolder } from "../../testing/temporary-folder.js";
import { openConsole, startDemo } from "../testing/console-steps.js";

const program = fileURLToPath(new URL("../../../../../packages/cli/dist/main.js", import.meta.url));
const secret = "correct horse battery";

// The tests follow each other: the first one signs in, and the last one locks.
describe.skipIf(withoutChromium)("a person with a browser, and the program platform in a pseudo-terminal", () => {
  const started = new AsyncDisposableStack();
  let page: Page;
  let publicUrl: string;
  let home: string;

  beforeAll(async () => {
    const demo = started.use(await startDemo());
    ({ publicUrl } = demo);
    const folder = await newTemporaryFolder();
    started.defer(folder.remove);
    home = folder.path;
    ({ page } = started.use(await demo.openPage()));
    await openConsole(page, demo);
  });
  afterAll(() => started.disposeAsync());

  /** Runs the program in a pseudo-terminal, or with pipes. Its browser writes down the page that it opens. */
  async function run(words: readonly string[], { environment = {}, inTerminal = true } = {}) {
    const [opener, opened] = [join(home, "browser"), join(home, "opened.txt")];
    await writeFile(opened, "");
    await writeFile(opener, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o700 });
    const { PATH } = process.env;
    const env = { HOME: home, BROWSER: opener, PATH, NO_COLOR: "1", ...environment };
    const command = [process.execPath, program, ...words];
    const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const [first = "", ...rest] = inTerminal ? ["script", "-qec", quoted, "/dev/null"] : command;
    const child = spawn(first, rest, { env });
    if (!inTerminal) child.stdin.end();
    const shown = Promise.all([text(child.stdout), text(child.stderr)]);
    const ended = once(child, "close").then(async () => {
      const [out, err] = await shown;
      return { code: child.exitCode, out, err };
    });
    let early = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        early += chunk.toString();
      });
    }
    return {
      ended,
      /** Types a line, once the program has asked for it. */
      type: (line: string) => child.stdin.write(`${line}\r`),
      async openedPage() {
        await expect.poll(() => readFile(opened, "utf8")).toMatch(/^http/);
        return readFile(opened, "utf8");
      },
      printed: async (pattern: RegExp) => {
        await expect.poll(() => pattern.exec(early)?.[1]).toBeDefined();
        return pattern.exec(early)?.[1] ?? "";
      },
    };
  }

  const result = async (...args: Parameters<typeof run>) => (await run(...args)).ended;

  it("signs in, and says who it is", async () => {
    const scopes = ["vault.items:read", "vault.items:write", "vault.items:delete"];
    const login = await run(["login", "--url", publicUrl, "--scope", ...scopes]);
    await page.goto(await login.openedPage());
    await waitForTitle(page, "Platform CLI wants to use your vault");
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "You can close this page");
    expect(await login.ended).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        `You are signed in to ${publicUrl} as Demo user (demo-user) of the tenant demo, with `,
      ),
    });
  });

  it("creates a vault on the page that the program opens", async () => {
    const create = await run(["vaults", "create", "Work & more"]);
    await page.goto(await create.openedPage());
    const dialog = page.getByRole("dialog", { name: "New vault" });
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "Work & more" }).waitFor();
    const vaultId = new URL(page.url()).pathname.split("/").at(-1);
    expect(await create.ended).toMatchObject({
      code: 0,
      out: expect.stringMatching(new RegExp(`^${vaultId}\r$`, "m")),
    });
  });

  it("unlocks with the code that the terminal shows, and names the vault", async () => {
    const unlock = await run(["unlock"]);
    const code = await unlock.printed(/\n {2}(\S+)\r\n/);
    await page.goto(await unlock.openedPage());
    await page.getByLabel("Code in your terminal").fill(code);
    await page.getByRole("button", { name: "Unlock for Platform CLI" }).click();
    await page.getByRole("heading", { name: "Platform CLI has the keys" }).waitFor();
    expect(await unlock.ended).toMatchObject({ code: 0, out: expect.stringContaining("unlocked until") });
    expect(await result(["vaults", "use", "Work & more"])).toMatchObject({ code: 0 });
    expect((await result(["vaults", "list"])).out).toMatch(/\* +Work & more /);
  });

  it("creates an item, which the page shows, and lists it", async () => {
    const create = await run(["items", "create", "--title", "Database", "username=ada", "password=?"]);
    await create.printed(/(password: )/);
    create.type(secret);
    const created = await create.ended;
    expect(created.code).toBe(0);
    expect(created.out).not.toContain(secret);
    expect((await result(["items", "list"])).out).toMatch(/^Database +ada +login /m);
    await page.goto(`${new URL(page.url()).origin}/console`);
    await page.getByText("Database").first().click();
    await page.getByText("ada").first().waitFor();
  });

  it("copies the password, and gives it to a command that prints it", async () => {
    const copied = await result(["items", "copy", "Database"], { environment: { SSH_TTY: "tty" } });
    expect([copied.code, copied.out]).toEqual([0, expect.stringContaining(Buffer.from(secret).toString("base64"))]);
    const environment = { DB: "pvault://Work%20%26%20more/Database/password" };
    const ran = await result(["run", "--", "sh", "-c", 'echo "$DB"; exit 3'], { environment });
    expect(ran).toEqual({ code: 3, out: "<masked pvault>\r\n", err: "" });
    const piped = await result(["run", "--", "sh", "-c", 'echo "$DB"; exit 3'], { environment, inTerminal: false });
    expect(piped).toEqual({ code: 3, out: "<masked pvault>\n", err: "" });
  });

  it("locks: then the program can read no title", async () => {
    expect(await result(["lock"])).toMatchObject({ code: 0 });
    expect(await result(["items", "get", "Database"])).toMatchObject({
      code: 6,
      out: expect.stringContaining("Run: platform unlock"),
    });
    expect((await result(["items", "list"])).out).not.toContain("Database");
  });
});
