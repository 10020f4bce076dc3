import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { publicOperations } from "@platform-rpc/server/host";
import { afterAll, describe, expect, it } from "vitest";
import { startTestApp } from "../testing/start-test-app.js";
import { newTemporaryFolder } from "../testing/temporary-folder.js";

const read = (name: string) => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");
/** Returns the blocks of a page that call the server. */
function callsOf(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^ *```sh\n(.*?)```/gms)].map(([, block = ""]) =>
    block.replaceAll(/^ +curl/gm, "curl"),
  );
  return blocks.filter((block) => block.startsWith("curl "));
}
const page = read("getting-access.md");
const lines = callsOf(page);
const json = page.match(/\{"tenantId":.*\}/g) ?? [];

// The lines use paths relative to the root of the repository.
const folder = await newTemporaryFolder();
const app = await startTestApp({ DATA_DIR: join(folder.path, "data"), DEMO: "on" });
afterAll(async () => {
  await app.end();
  await folder.remove();
});

/** Runs a block in a shell. Returns the status of its response, and what it prints. */
async function run(block: string): Promise<{ readonly status: string; readonly printed: string }> {
  const here = block
    .replace("http://127.0.0.1:8080", app.publicUrl)
    .replace("http://127.0.0.1:8081", app.internalUrl)
    .replace("http://127.0.0.1:8082", app.accountsUrl ?? "")
    .replace("curl -sS", "curl -sS -w '%{stderr}%{http_code}'");
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", here], { cwd: folder.path });
  return { status: stderr, printed: stdout };
}

const deletion = 'platform.v1.VaultService/DeleteItem \\\n  -H "Authorization: Bearer $(node';

describe("the commands of docs/getting-access.md work with the demo server, in their order", () => {
  it("there is one for each task of an administrator", () => {
    const operations = lines.flatMap((line) => line.match(/(?<=platform\.internal\.v1\.)\w+\/\w+/) ?? []);
    expect(operations).toEqual([
      "AccessAdminService/SetOauthClient",
      "AccessAdminService/SetPrincipal",
      "VaultAdminService/CreateVault",
      "VaultAdminService/SetVaultMember",
      "AccessAdminService/SetOauthClient",
      "AccessAdminService/IssueAccessToken",
      "AccessAdminService/RevokeToken",
      "AccessAdminService/SetOauthClient",
      "AccessAdminService/SetPrincipal",
    ]);
    expect(json).toHaveLength(8);
  });

  it.each(lines)("%s", async (line) => {
    const { status, printed } = await run(line);
    if (line.includes(deletion)) {
      expect([status, printed]).toEqual(["404", expect.stringContaining("ITEM_NOT_FOUND")]);
    } else {
      expect(status).toBe("200");
    }
    if (line.includes("/oauth/device_authorization")) {
      expect(printed).toContain("verification_uri_complete");
    }
    if (line.includes("oauth-authorization-server")) {
      expect(printed).toContain('"client_id_metadata_document_supported":true');
    }
  });

  it("a token whose access has ended is rejected", async () => {
    const line = lines.find((each) => each.includes(deletion)) ?? "";
    // Within a second.
    await expect.poll(async () => (await run(line)).status).toBe("401");
  });
});

it("docs/agents.md registers the client of an assistant with the demo server", async () => {
  const calls = callsOf(read("agents.md"));
  expect(calls).toHaveLength(1);
  expect(await run(calls[0] ?? "")).toMatchObject({ status: "200" });
});

it("docs/getting-access.md says what each scope of a public operation allows", () => {
  for (const { requiredScopes } of publicOperations.values()) {
    for (const scope of requiredScopes) expect(page).toMatch(new RegExp(`^\\| \`${scope}\` \\| .+ \\|$`, "m"));
  }
});
