import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { enterUserCode, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import { freePort } from "@platform-rpc/testbed/network";
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished } from "vitest";
import { itemLink, openedItem, openVault } from "./testing/console-steps.js";
import { withCommandLine } from "./testing/in-browser.js";

const it = withCommandLine.skipIf(withoutChromium);
const root = new URL("../../../../", import.meta.url);
const path = (name: string) => fileURLToPath(new URL(name, root));
const preloaded = new URL("testing/api-github-com.ts", import.meta.url).href;

const [, section = ""] = readFileSync(path("docs/agents.md"), "utf8").split(
  "## An agent that calls GitHub without a token",
);
const [guide = ""] = section.split("###");
/** The commands of the page, in its order. */
const commands = [...guide.matchAll(/^ +```sh\n(.*?)^ +```/gms)].flatMap(([, block = ""]) =>
  block.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()])),
);
const token = "github_pat_7319";
const { PATH } = process.env;

/** Starts an https server that answers as api.github.com does, with its own certificate authority, whose file it returns. */
async function startGithub(folder: string) {
  const names = ["-subj", "/CN=api.github.com", "-addext", "subjectAltName=DNS:api.github.com"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "-"];
  const pem = execFileSync("openssl", ["req", "-x509", ...key, "-days", "1", ...names], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const certificate = join(folder, "github.pem");
  await writeFile(certificate, pem);
  const received: string[] = [];
  const server = createServer({ key: pem, cert: pem }, ({ url, headers }, response) => {
    received.push(`${headers.host}${url} ${headers.authorization}`);
    response.setHeader("Content-Type", "application/json").end(JSON.stringify([{ full_name: "ada/engine", token }]));
  });
  const port = await freePort();
  await once(server.listen(port, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { certificate, port, received };
}

async function approve(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Approve" }).click();
  await waitForTitle(page, "Approved");
}

describe("docs/agents.md: an agent that calls GitHub without a token", () => {
  it("the commands of the page work with the demo, in their order", async ({ demo, commandLine, page: vault }) => {
    const { home } = commandLine;
    const github = await startGithub(home);
    const brokerPort = await freePort();
    await writeFile(join(home, "token.txt"), `${token}\n`);
    await writeFile(
      join(home, "platform"),
      `#!/bin/sh\nexec '${process.execPath}' '${path("packages/cli/dist/main.js")}' "$@"\n`,
      {
        mode: 0o700,
      },
    );
    const environment = {
      ...{ PATH: `${home}:${PATH}`, PLATFORM_URL: demo.publicUrl, BROKER_PORT: `${brokerPort}` },
      ...{ NODE_EXTRA_CA_CERTS: github.certificate, API_GITHUB_COM_PORT: `${github.port}` },
      NODE_OPTIONS: `--import=${preloaded}`,
    };
    const [login = "", unlock = "", create = "", broker = "", ...others] = commands;
    expect(others).toEqual([]);
    const start = (command: string) => commandLine.start(["sh", "-c", `cd '${home}' && exec ${command}`], environment);
    await openVault(vault, demo);
    const page = await vault.context().newPage();

    const signingIn = start(login);
    await enterUserCode(page, demo.origin, await signingIn.printed(/enter the code ([A-Z]{4}-[A-Z]{4})/));
    await approve(page);
    expect(await signingIn.ended).toMatchObject({ code: 0 });

    const unlocking = start(unlock);
    await page.goto(await unlocking.printed(/(http\S+\/console\/unlock\/\S+)/));
    await page.getByLabel("Code in your terminal").fill(await unlocking.printed(/\n {2}([0-9A-Z-]{19})\r?\n/));
    await page.getByRole("button", { name: "Unlock for Platform CLI" }).click();
    await unlocking.printed(/(Type the code that the page shows now: )/);
    unlocking.child.stdin?.write(`${await page.locator(".value code").textContent()}\n`);
    expect(await unlocking.ended).toMatchObject({ code: 0 });

    expect(await start(create).ended).toMatchObject({ code: 0 });
    await vault.getByRole("link", { name: "All items", exact: true }).click();
    await itemLink(vault, "GitHub token").click();
    const item = openedItem(vault, "GitHub token");
    await item.getByText("Agents that you allow may use it at api.github.com as a Bearer token.").waitFor();

    const running = start(broker);
    onTestFinished(() => void running.child.kill("SIGKILL"));
    await running.printed(/(Broker for Demo user at \S+\. Agents may use items of: .*Personal)/);

    const agent = new Client(
      { name: "agent", version: "1.0.0" },
      { capabilities: { elicitation: { form: {}, url: {} } } },
    );
    agent.setRequestHandler("elicitation/create", async ({ params }) => {
      if (params.mode !== "url") return expect.unreachable("it asks for nothing else");
      await page.goto(params.url);
      await page.getByRole("button", { name: "Continue" }).click();
      await approve(page);
      return { action: "accept" };
    });
    const { PLATFORM_URL } = environment;
    const env = { HOME: home, PLATFORM_URL, PLATFORM_BROKER_URL: `http://127.0.0.1:${brokerPort}` };
    const args = [path("packages/mcp/dist/main.js")];
    await agent.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
    onTestFinished(() => agent.close());
    const request = () =>
      agent.callTool({ name: "http_request", arguments: { url: "https://api.github.com/user/repos" } });
    const body = JSON.stringify([{ full_name: "ada/engine", token: "<masked pvault>" }]);
    expect((await request()).structuredContent).toMatchObject({ status: 200, body });
    expect(github.received).toEqual([`api.github.com/user/repos Bearer ${token}`]);

    await vault.getByRole("link", { name: "Activity" }).click();
    await vault.getByText("Used GitHub token at api.github.com, 1 of 25").waitFor();
    await vault.getByRole("link", { name: "Agents & apps" }).click();
    await vault.getByText(/24 more/).waitFor();

    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 0, err: "" });
    expect(JSON.stringify(await request())).toContain("platform broker");
    expect(github.received).toHaveLength(1);
  });
});
