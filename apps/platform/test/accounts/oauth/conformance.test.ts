import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { approveRequest } from "@platform-rpc/accounts/testing/answer-request";
import { signUpPerson } from "@platform-rpc/accounts/testing/person";
import { openSiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { freePort } from "@platform-rpc/testbed/network";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { startTestApp } from "../../../src/testing/start-test-app.js";
import { temporaryFolder } from "../../../src/testing/temporary-folder.js";
import { tenantId } from "./testing/oauth-app.js";

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
    if (line.includes("/oauth/authorize?")) break;
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

it("MCP authorization: the conformance suite passes with a client metadata document", async () => {
  const document = { client_id: documentUrl, client_name: "Agent", redirect_uris: ["http://127.0.0.1/callback"] };
  const app = await startTestApp(
    { ACCOUNTS_TENANT: tenantId, CLIENT_ID_METADATA: "on" },
    { fetchDocument: async () => ({ text: JSON.stringify(document), cacheControl: "" }) },
  );
  onTestFinished(() => app.end());
  const { accountsUrl = "", pagesUrl = "", publicUrl } = app;
  const { browser } = await signUpPerson({ openBrowser: () => openSiteBrowser(pagesUrl) });
  const options = { "client-id": documentUrl, resource: publicUrl, port: String(await freePort()) };
  const { request, results } = await startSuite(accountsUrl, options);
  const { redirectedTo } = await approveRequest(browser, new URL(request));
  expect(await (await fetch(redirectedTo)).text()).toContain("OK. You can close this page.");
  expect(await results()).toEqual([
    expect.objectContaining({ id: "authorization-code-grant", status: "SUCCESS" }),
    expect.objectContaining({ id: "authorization-server-metadata", status: "SUCCESS" }),
    expect.objectContaining({ id: "authorization-server-metadata-cimd", status: "SUCCESS" }),
  ]);
});
