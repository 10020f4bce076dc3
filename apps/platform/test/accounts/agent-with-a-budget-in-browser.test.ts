import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { enterUserCode, signInWithCode, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import { describe, expect } from "vitest";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";
import { it } from "./testing/in-browser.js";

const root = new URL("../../../../", import.meta.url);
const example = fileURLToPath(new URL("apps/platform/examples/agent-with-a-budget.ts", root));
const page = readFileSync(new URL("docs/agents.md", root), "utf8");
/** What the page says that the program prints, run after run. */
const promised = [...page.matchAll(/^ +```text\n(.*?)^ +```/gms)].map(([, block = ""]) =>
  block.replaceAll(/^ +/gm, ""),
);

describe("docs/agents.md: an agent with a budget", () => {
  it("the program and the steps of the page work with the demo, in their order", async ({ demo, page: browser }) => {
    const home = await temporaryFolder();

    /** Runs the program. @param onCode called with a user code that it shows */
    async function run(onCode = async (_: string): Promise<void> => expect.unreachable("the program asks again")) {
      const env = { HOME: home, ACCOUNTS_URL: demo.issuer, PLATFORM_URL: demo.publicUrl };
      const program = spawn(process.execPath, [example], { env, stdio: ["ignore", "pipe", "pipe"] });
      const [closed, printed] = [once(program, "close"), text(program.stdout)];
      let shown = "";
      for await (const chunk of program.stderr) {
        shown += chunk;
        const [, code] = /enter (\S+)\n/.exec(`${chunk}`) ?? [];
        if (code !== undefined) await onCode(code);
      }
      const [code] = await closed;
      return { code, printed: (await printed).replaceAll(demo.origin, "http://accounts.localhost:8082"), shown };
    }

    const [first, last] = promised;
    const approved = await run(async (code) => {
      await browser.goto(`${demo.origin}/sign-in`);
      await signInWithCode(browser, demo.recoveryCode);
      await enterUserCode(browser, demo.origin, code);
      await waitForTitle(browser, "Demo agent wants to use your vault");
      expect(await browser.getByLabel("Demo").isChecked()).toBe(true);
      expect(await browser.locator("[name=deletions]").inputValue()).toBe("2");
      await browser.getByRole("button", { name: "Approve" }).click();
      await waitForTitle(browser, "Approved");
    });
    expect(approved).toMatchObject({ code: 0, printed: first });

    await browser.goto(
      approved.printed.match(/http:\S+/)?.[0].replace("http://accounts.localhost:8082", demo.origin) ?? "",
    );
    await browser.getByText("Can delete no more items (of 2) in Demo, until").waitFor();
    await browser.getByRole("button", { name: "Change limits" }).click();
    const sheet = browser.getByRole("dialog");
    await sheet.getByLabel("Items it may still delete").fill("1");
    await sheet.getByRole("button", { name: "Save limits" }).click();
    await browser.getByText("Can delete 1 more item (of 3) in Demo, until").waitFor();
    expect(await run()).toEqual({ code: 0, printed: last, shown: "" });

    await browser
      .getByRole("listitem")
      .filter({ hasText: "(of 3)" })
      .getByRole("button", { name: "Remove access" })
      .click();
    await browser.getByRole("dialog").getByRole("button", { name: "Remove access" }).click();
    await browser.getByText("Demo agent no longer has access.").waitFor();
    const isRefused = async () => (await run()).shown.includes("The session has ended: it expired or was revoked.");
    await expect.poll(isRefused).toBe(true);
  });
});
