import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { adminOf, startApp } from "@platform-rpc/testbed/app";
import { freePort } from "@platform-rpc/testbed/network";
import { type RunningProgram, startProgram } from "@platform-rpc/testbed/processes";

// Runs the programs of this folder as `pnpm demo` and the test do: client.ts against server.ts, and agent.ts against the built platform.
const folder = await mkdtemp(join(tmpdir(), "platform-reference-"));
await using stack = new AsyncDisposableStack();
stack.defer(() => rm(folder, { recursive: true, force: true }));

/** Starts a program of this folder. It is stopped at the end. */
function start(name: string, environment: Readonly<Record<string, string>>): RunningProgram {
  console.log(`\n$ node ${name}`);
  const path = fileURLToPath(new URL(name, import.meta.url));
  const env = { ...process.env, DATA_DIR: folder, ...environment };
  const program = startProgram([process.execPath, path], { env, stderr: "inherit" });
  stack.defer(async () => void (await program.stop()));
  return program;
}

/** Waits for the end of a program, and prints what it has printed. @throws Error when it fails. */
async function finish(program: RunningProgram): Promise<void> {
  const code = await program.ended;
  process.stdout.write(program.out());
  if (code !== 0) throw new Error(`The program ended with exit code ${code}.`);
}

const server = start("server.ts", { PORT: "0" });
await server.printed("serving");
process.stdout.write(server.out());
await finish(start("client.ts", {}));

const data = join(folder, "platform");
const app = stack.use(await startApp({ DATA_DIR: data, DEMO: "on", LOG_LEVEL: "silent" }));
const port = String(await freePort());
const broker = start("broker.ts", { PORT: port, PLATFORM_URL: app.publicUrl });
await broker.printed("a broker at");
process.stdout.write(broker.out());
const agent = start("agent.ts", {
  ACCOUNTS_URL: app.accountsUrl,
  PLATFORM_URL: app.publicUrl,
  BROKER_URL: `http://127.0.0.1:${port}/run`,
  TOKEN_FILE: join(data, "demo/access.token"),
});
await agent.printed(/enter \S+\n/);
// The person of the demo, who would open that page, approves what the agent asks for.
const [, userCode] = /enter (\S+)\n/.exec(agent.out()) ?? [];
await adminOf(app.internalUrl, join(data, "admin.token"))("DeviceAuthorizationService/ApproveDeviceAuthorization", {
  tenantId: "demo",
  principalId: "demo-user",
  userCode,
  scopes: ["vault.items:delete"],
});
await finish(agent);
