import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { memberOperations } from "@platform-rpc/accounts/members/member-operations";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { expect, it, onTestFinished } from "vitest";
import { startTestApp } from "../../../src/testing/start-test-app.js";

const root = new URL("../../../", import.meta.url);
const [, fields = ""] = readFileSync(new URL("README.md", root), "utf8").split("Fields in bold are required:");

it("README.md lists the fields of every request and response that other software can use", () => {
  for (const { method } of memberOperations.values()) {
    // Only the command line of the platform calls the other service.
    if (method.parent !== MemberVaultService) continue;
    const row = fields.split("\n").find((line) => line.startsWith(`| \`${method.name}\``)) ?? "";
    const named = new Set([...row.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    for (const { jsonName } of [...method.input.fields, ...method.output.fields]) {
      expect(named, method.name).toContain(jsonName);
    }
  }
});

it("the example of README.md signs in as software that a person approves, and lists the items of the demo", async () => {
  const app = await startTestApp({ DEMO: "on" });
  onTestFinished(app.end);
  const environment = { ...process.env, ACCOUNTS_URL: app.accountsUrl, PLATFORM_URL: app.publicUrl };
  const example = fileURLToPath(new URL("examples/list-items.ts", root));
  const program = spawn(process.execPath, [example], { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    program.kill("SIGKILL");
  });
  const closed = once(program, "close");
  let printed = "";
  for await (const chunk of program.stdout) {
    printed += chunk;
    const [, userCode] = /enter (\S+)\n/.exec(printed) ?? [];
    if (userCode === undefined || printed.includes("demo-login")) continue;
    await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", {
      tenantId: "demo",
      principalId: "demo-user",
      userCode,
      scopes: ["vault.items:read"],
    });
  }
  expect(await closed).toEqual([0, null]);
  expect(printed).toMatch(/^demo-login login 1 live$/m);
});
