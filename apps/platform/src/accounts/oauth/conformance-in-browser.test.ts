import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  openPersonPage,
  type RunningBrowser,
  startChromium,
  withoutChromium,
} from "@platform-rpc/accounts/testing/browser";
import { storeRecoveryCode } from "@platform-rpc/accounts/testing/browser-steps";
import { freePort } from "@platform-rpc/testbed/network";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { startTestApp } from "../../testing/start-test-app.js";
import { temporaryFolder } from "../../testing/temporary-folder.js";
import { deletion, tenantId } from "./testing/oauth-app.js";

const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));
const documentUrl = "https://client.example/client.json";

/** The file with the results of a scenario. */
const checks = z.array(z.looseObject({ id: z.string(), status: z.string() }));

/** Starts the command that tests an authorization server, and returns the URL that it wants a person to open. */
async function startSuite(url: string, options: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  const words = Object.entries({ url, ...options, "output-dir": folder }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
  const child = spawn(process.execPath, [suite, "authorization", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill();
  });
  const ended = once(child, "exit");
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (line.startsWith(`${url}/`)) break;
  }
  return {
    request: lines.at(-1) ?? "",
    /** Resolves with the status of each check, once the suite has ended. */
    async results() {
      await ended;
      const scenarios = (await readdir(folder)).sort();
      const read = scenarios.map(async (scenario) => readFile(join(folder, scenario, "checks.json"), "utf8"));
      return (await Promise.all(read)).flatMap((text) => checks.parse(JSON.parse(text)));
    },
  };
}

describe.skipIf(withoutChromium)("MCP authorization: the conformance suite for authorization servers", () => {
  let browser: RunningBrowser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  it.each([
    ["a client metadata document", documentUrl, "client.example: Agent"],
    ["a registered client", "agent", "Agent"],
  ])("passes with %s, for a person who signs up first", async (_, clientId, name) => {
    const redirect_uris = ["http://127.0.0.1/callback"];
    const document = { client_id: documentUrl, client_name: "Agent", redirect_uris };
    const app = await startTestApp(
      { ACCOUNTS_TENANT: tenantId, CLIENT_ID_METADATA: "on" },
      { fetchDocument: async () => ({ text: JSON.stringify(document), cacheControl: "" }) },
    );
    onTestFinished(() => app.end());
    await app.admin("AccessAdminService/SetOauthClient", {
      tenantId,
      oauthClientId: "agent",
      name: "Agent",
      allowedOperations: [deletion, "platform.accounts.v1.MemberVaultService/GetItem"],
      redirectUris: redirect_uris,
      enabled: true,
    });
    const options = { "client-id": clientId, resource: app.publicUrl, port: String(await freePort()) };
    const { request, results } = await startSuite(app.accountsUrl ?? "", options);

    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    await page.goto(request);
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("Your name").fill("Ada");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await storeRecoveryCode(page, `${name} wants to use your vault`);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("OK. You can close this page.").waitFor();
    expect(await results()).toEqual([
      expect.objectContaining({ id: "authorization-code-grant", status: "SUCCESS" }),
      expect.objectContaining({ id: "authorization-server-metadata", status: "SUCCESS" }),
      expect.objectContaining({ id: "authorization-server-metadata-cimd", status: "SUCCESS" }),
    ]);
    expect(problems).toEqual([]);
  });
});
