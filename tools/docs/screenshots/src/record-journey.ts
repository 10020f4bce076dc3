import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { fixText } from "./fix-text.ts";
import type { DemoApp } from "./start-app.ts";
import { runInTerminal, showTerminal } from "./terminal.ts";

const commandLine = fileURLToPath(new URL("../../../../packages/cli/dist/main.js", import.meta.url));

/**
 * Records a person who signs in on the command line, lets an agent delete an item, sees it in the console, and ends the access of the
 * agent there. Everything happens: a frame shows what the page or the terminal shows at that moment.
 *
 * @param page a page where the person is signed in, with their items unlocked
 * @param home the home folder of the command line and the agent
 * @returns an animated WebP, which repeats
 */
export async function recordJourney(page: Page, { origin, publicUrl }: DemoApp, home: string): Promise<Buffer> {
  /** Each picture, and for how long it is shown, in milliseconds. */
  const frames: { readonly picture: Buffer; readonly ms: number }[] = [];
  const terminal = await page.context().newPage();
  const device = await page.context().newPage();
  for (const each of [page, terminal, device]) await each.setViewportSize({ width: 1024, height: 640 });
  const record = async (shown: Page, seconds = 3) => {
    await fixText(shown);
    await shown.bringToFront();
    frames.push({ picture: await shown.screenshot({ animations: "disabled", scale: "css" }), ms: seconds * 1000 });
  };
  const recordTerminal = async (title: string, text: string, seconds?: number) => {
    await showTerminal(terminal, title, text.replaceAll(home, "~"));
    await record(terminal, seconds);
  };
  const approve = async () => {
    await device.getByRole("button", { name: "Approve" }).waitFor();
    // The page calls a vault by its id until its script has the name.
    await device.getByText("demo-user", { exact: true }).filter({ visible: true }).waitFor({ state: "detached" });
    const until = device.getByLabel("Until");
    const proposed = (await until.count()) === 0 ? undefined : await until.inputValue();
    await record(device);
    // The picture shows an example.
    if (proposed !== undefined) await until.fill(proposed);
    await device.getByRole("button", { name: "Approve" }).click();
    await device.getByRole("heading", { name: "Approved" }).waitFor();
    await record(device, 2);
  };
  const env = { HOME: home, PLATFORM_URL: publicUrl };

  const command = `$ platform login --url ${publicUrl} --no-qr`;
  const login = runInTerminal([process.execPath, commandLine, "login", "--url", publicUrl, "--no-qr"], env);
  const userCode = await login.shows(/enter the code ([A-Z-]{9})/);
  await login.shows(/Waiting/);
  await recordTerminal("Terminal", `${command}\n${await login.screen()}`);
  await device.goto(`${origin}/device`);
  const codeField = device.getByLabel("Code on the device");
  await codeField.fill(userCode);
  // The picture shows the example code.
  await record(device, 2);
  await codeField.fill(userCode);
  await device.getByRole("button", { name: "Continue" }).click();
  await approve();
  await login.ended;
  await recordTerminal("Terminal", `${command}\n${await login.screen()}`);

  await page.goto(`${origin}/console/vaults/demo-vault`);
  await page.getByRole("link", { name: "Example mail" }).waitFor();
  await record(page);
  const conversation: string[] = [];
  await using agent = await startAgent(env, {
    async open(url) {
      conversation.push(`MCP server: open ${url}`);
      await recordTerminal("Agent", conversation.join("\n\n"));
      await device.goto(url);
      await device.getByRole("button", { name: "Continue" }).click();
      await approve();
    },
    async isAsked(question) {
      conversation.push(`MCP server: ${question}`);
      await recordTerminal("Agent", conversation.join("\n\n"), 4);
      conversation.push("Person: yes");
    },
  });
  const use = async (tool: string, input: Readonly<Record<string, unknown>>, fails = false) => {
    conversation.push(`Agent: ${tool} ${JSON.stringify(input)}`);
    const { failed, text } = await agent.use(tool, input);
    if (failed !== fails) throw new Error(`The agent's call of ${tool}: ${text}`);
    conversation.push(`MCP server: ${text}`);
    await recordTerminal("Agent", conversation.slice(-4).join("\n\n"), 4);
  };
  await use("delete_item", { vault: "demo-vault", item: "demo-login", version: 1 });

  await page.getByRole("link", { name: "Example mail" }).waitFor({ state: "detached" });
  await record(page);
  await page.getByRole("link", { name: "Agents & apps" }).click();
  const end = page.getByRole("button", { name: /Remove access.*Platform MCP server/ });
  await end.scrollIntoViewIfNeeded();
  await record(page);
  await end.click();
  const question = page.getByRole("dialog");
  await question.waitFor();
  await record(page);
  await question.getByRole("button", { name: "Remove access" }).click();
  const ended = page.getByText("Platform MCP server no longer has access.");
  await ended.waitFor();
  await ended.scrollIntoViewIfNeeded();
  await record(page);
  // Access tokens are refused within a second.
  await setTimeout(1000);
  conversation.length = 0;
  await use("list_items", { vault: "demo-vault" }, true);
  const pictures = frames.map(({ picture }) => picture);
  return sharp(pictures, { join: { animated: true } })
    .webp({ lossless: true, delay: frames.map(({ ms }) => ms) })
    .toBuffer();
}

const program = fileURLToPath(new URL("../../../../packages/mcp/dist/main.js", import.meta.url));

/** What a person does for their agent. */
export interface Person {
  /** Opens an address that the MCP server asks to open. */
  open(url: string): Promise<void>;
  /** Sees a question of the MCP server. The answer is yes. */
  isAsked(question: string): Promise<void>;
}

/** An agent that uses the platform by its MCP server. */
export interface Agent extends AsyncDisposable {
  /** Calls a tool. Resolves with its result as text. */
  use(
    tool: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly failed: boolean; readonly text: string }>;
}

async function startAgent(env: Record<string, string>, person: Person): Promise<Agent> {
  const client = new Client(
    { name: "agent", version: "1.0.0" },
    { capabilities: { elicitation: { form: {}, url: {} } } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    if (params.mode === "url") {
      await person.open(params.url);
      return { action: "accept" };
    }
    await person.isAsked(params.message);
    return { action: "accept", content: { delete: true } };
  });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: "ignore" }));
  return {
    async use(name, input) {
      const { content, isError = false } = await client.callTool({ name, arguments: { ...input } });
      return { failed: isError, text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
