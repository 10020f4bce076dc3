import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { enterUserCode, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished } from "vitest";
import { itemLink, openVault } from "./testing/console-steps.js";
import { withCommandLine } from "./testing/in-browser.js";

const agentProgram = fileURLToPath(new URL("../../../../packages/mcp/dist/main.js", import.meta.url));

const it = withCommandLine.skipIf(withoutChromium);

/** Approves what the page shows. */
async function approve(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Approve" }).click();
  await waitForTitle(page, "Approved");
}

describe("a person, their command line, their agent and their browser", () => {
  it("sign in with codes, delete with consent, see it live, and end the agent's access", async ({
    demo,
    commandLine,
    page: vault,
  }) => {
    await openVault(vault, demo);
    const page = await vault.context().newPage();

    // The command line, approved on the device page.
    const login = commandLine.startInTerminal(["login", "--url", demo.publicUrl]);
    await enterUserCode(page, demo.origin, await login.printed(/enter the code ([A-Z]{4}-[A-Z]{4})/));
    await approve(page);
    const { code, out } = await login.ended;
    expect([code, out]).toEqual([0, expect.stringContaining(`You are signed in to ${demo.publicUrl} as Demo user`)]);
    expect(out).toContain(`Open ${demo.origin}/device`);
    expect(out).toMatch(/[▀▄█]{10}/);

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
    const env = { HOME: commandLine.home, PLATFORM_URL: demo.publicUrl };
    await agent.connect(
      new StdioClientTransport({ command: process.execPath, args: [agentProgram], env, stderr: "ignore" }),
    );
    onTestFinished(() => agent.close());
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
