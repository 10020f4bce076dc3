import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openPersonPage, startChromium, withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { enterUserCode, signInWithCode, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import { freePort } from "@platform-rpc/testbed/network";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { newTemporaryFolder } from "../testing/temporary-folder.js";
import { itemLink } from "./testing/console-steps.js";
import { startSite } from "./testing/start-site.js";

const packages = new URL("../../../../packages/", import.meta.url);
const builtProgram = (name: string) => fileURLToPath(new URL(`${name}/dist/main.js`, packages));

/** Starts `platform login` in a pseudo-terminal, as a person does, and returns what it shows and how it ends. */
function logInOnCommandLine(apiUrl: string, home: string) {
  const words = [process.execPath, builtProgram("cli"), "login", "--url", apiUrl].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", words, "/dev/null"], { env: { HOME: home, TERM: "xterm" } });
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
  });
  const ended = once(child, "close").then(() => ({ code: child.exitCode, shown }));
  const userCode = async (): Promise<string> => {
    await expect.poll(() => shown).toMatch(/enter the code [A-Z]{4}-[A-Z]{4}/);
    return /enter the code ([A-Z-]{9})/.exec(shown)?.[1] ?? "";
  };
  return { userCode, ended };
}

/** Approves what the page shows. */
async function approve(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Approve" }).click();
  await waitForTitle(page, "Approved");
}

describe.skipIf(withoutChromium)("a person, their command line, their agent and their browser", () => {
  it("sign in with codes, delete with consent, see it live, and end the agent's access", async () => {
    await using started = new AsyncDisposableStack();
    // The API must know the accounts origin before it listens.
    const site = started.use(await startSite({ ACCOUNTS_PORT: String(await freePort()) }));
    const home = await newTemporaryFolder();
    started.defer(home.remove);
    const browser = started.use(await startChromium());
    const { page: vault } = started.use(await openPersonPage(browser));
    const recoveryCode = await readFile(site.recoveryCodeFile ?? "", "utf8");

    await vault.goto(`${site.origin}/sign-in`);
    await signInWithCode(vault, recoveryCode);
    const page = await vault.context().newPage();
    await vault.goto(`${site.origin}/console/vaults/demo-vault`);
    await itemLink(vault, "Example mail").waitFor();

    // The command line, approved on the device page.
    const login = logInOnCommandLine(site.publicUrl, home.path);
    await enterUserCode(page, site.origin, await login.userCode());
    await approve(page);
    expect(await login.ended).toMatchObject({ code: 0, shown: expect.stringContaining("You are signed in") });

    // The agent opens the address itself, and asks before it deletes.
    const questions: string[] = [];
    const agent = new Client(
      { name: "agent", version: "1.0.0" },
      { capabilities: { elicitation: { form: {}, url: {} } } },
    );
    agent.setRequestHandler("elicitation/create", async ({ params }) => {
      if (params.mode === "url") {
        await page.goto(params.url);
        await page.getByRole("button", { name: "Continue" }).click();
        await approve(page);
        return { action: "accept" };
      }
      questions.push(params.message);
      return { action: "accept", content: { delete: true } };
    });
    const env = { HOME: home.path, PLATFORM_URL: site.publicUrl };
    await agent.connect(
      new StdioClientTransport({ command: process.execPath, args: [builtProgram("mcp")], env, stderr: "ignore" }),
    );
    started.defer(() => agent.close());
    const list = () => agent.callTool({ name: "list_items", arguments: { vault: "demo-vault" } });
    expect(JSON.stringify((await list()).structuredContent)).toContain('"itemId":"demo-login"');
    const deletion = { vault: "demo-vault", item: "demo-login", version: 1 };
    const deleted = await agent.callTool({ name: "delete_item", arguments: deletion });
    expect(deleted.structuredContent).toMatchObject({ outcome: "deleted", version: 2 });
    expect(questions).toHaveLength(1);

    // Live.
    await itemLink(vault, "Example mail").waitFor({ state: "detached" });

    // The person ends the access of the agent in the vault: its token is refused. The command line keeps its own.
    await vault.getByRole("link", { name: "Agents & apps" }).click();
    await vault.getByRole("button", { name: /Remove access.*Platform MCP server/ }).click();
    await vault.getByRole("dialog").getByRole("button", { name: "Remove access" }).click();
    await vault.getByText("Platform MCP server no longer has access.").waitFor();
    await expect.poll(async () => (await list()).isError, { interval: 100 }).toBe(true);
    await vault.getByRole("heading", { name: "Platform CLI" }).waitFor();
  });
});
