import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unlockVault } from "@platform-rpc/platform/testing/unlocked-vault";
import { adminOf, type RunningApp, startApp } from "@platform-rpc/testbed/app";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { freePort } from "@platform-rpc/testbed/network";
import { type RunningProgram, runToEnd, startProgram } from "@platform-rpc/testbed/processes";
import { onFirstCore } from "../load/pinning.ts";
import { deviceGrant, member } from "../sign-in/token-requests.ts";

const cli = new URL("dist/main.js", import.meta.resolve("@platform-rpc/cli/package.json"));
const program = [process.execPath, fileURLToPath(cli)];
const person = { tenantId: "demo", principalId: "demo-user" };
const agent = { oauthClientId: "bench-agent", scope: "vault.items:use" };

/** The most uses that an approval can name: the largest uint32. */
const maxUses = 4_294_967_295;

/** A platform, and the broker of a person who has approved an agent. Disposing of it ends both. */
interface RunningBroker extends AsyncDisposable {
  readonly port: number;
  readonly broker: RunningProgram;
  readonly platform: RunningProgram;
  /** The agent's token. */
  readonly token: string;
}

/** Starts the built platform, and the built broker on the first core, with an item whose secret is for `host`. */
export async function startBroker(host: string, secret: string): Promise<RunningBroker> {
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder("bench");
  stack.defer(folder.remove);
  const dataDir = join(folder.path, "data");
  const settings = { DATA_DIR: dataDir, DEMO: "on", RATE_LIMITS: "off" };
  const platform = stack.use(await startApp(settings, { stderr: "ignore" }));
  const admin = adminOf(platform.internalUrl, join(dataDir, "admin.token"));
  const approve = (userCode: string, approval: object) =>
    admin("DeviceAuthorizationService/ApproveDeviceAuthorization", { ...person, userCode, ...approval });

  const { PATH } = process.env;
  const env = { PATH, PLATFORM_CONFIG_DIR: join(folder.path, "config") };
  const scopes = ["vault.items:read", "vault.items:write", "vault.items:use", "vaults:manage"];
  const login = { scopes, approve: (userCode: string) => approve(userCode, { scopes }), forMs: 3_600_000 };
  const { vaultId } = await unlockVault(platform, env.PLATFORM_CONFIG_DIR, login);
  const item = ["--vault", "Work", "--kind", "api_key", "--title", "Upstream", `key=${secret}`, `host=${host}`];
  await runToEnd([...program, "items", "create", ...item], { env });

  const allowedOperations = ["platform.accounts.v1.ItemUseService/UseItem"];
  const { tenantId } = person;
  const client = { tenantId, oauthClientId: agent.oauthClientId, name: "Agent", allowedOperations, enabled: true };
  await admin("AccessAdminService/SetOauthClient", client);
  const bounds = { vaultIds: [vaultId], actions: ["use"], maxUses };
  const token = await issueToken(platform, (userCode) => approve(userCode, { scopes: [agent.scope], bounds }));

  const port = await freePort();
  const words = ["broker", "--port", `${port}`, "--allow-loopback-http"];
  const broker = startProgram([...onFirstCore, ...program, ...words], { env });
  stack.defer(async () => void (await broker.stop()));
  await broker.printed("Broker for");
  const started = stack.move();
  return { port, broker, platform, token, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function issueToken({ accountsUrl }: RunningApp, approve: (userCode: string) => Promise<unknown>) {
  const call = async (path: string, fields: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({ client_id: agent.oauthClientId, ...fields });
    const response = await fetch(`${accountsUrl}/oauth/${path}`, { method: "POST", body });
    return response.text();
  };
  const started = await call("device_authorization", { scope: agent.scope });
  await approve(member(started, "user_code"));
  const resource = "https://platform.example/broker";
  const redeemed = { grant_type: deviceGrant, device_code: member(started, "device_code"), resource };
  return member(await call("token", redeemed), "access_token");
}
