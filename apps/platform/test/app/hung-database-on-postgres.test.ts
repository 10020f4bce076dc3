import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres, type TemporaryPostgres } from "@platform-rpc/testbed/postgres";
import { expect, it, onTestFinished } from "vitest";
import { createAdminClients } from "../../src/rpc/admin-clients.js";
import { call } from "../../src/testing/call.js";
import { startTestApp } from "../../src/testing/start-test-app.js";

/** The default deadline of a call, and what a busy machine adds. */
const longestMs = 15_000 + 2_000;

/** Stops all processes of a server (SIGSTOP), so that every connection to it hangs. Returns a function that continues them. */
function stopServer({ folder }: TemporaryPostgres): () => void {
  const pid = Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0]);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  const signal = (name: NodeJS.Signals) => {
    for (const each of [pid, ...children]) process.kill(each, name);
  };
  signal("SIGSTOP");
  return () => signal("SIGCONT");
}

it("DECISIONS section 7: while PostgreSQL hangs, every caller without a deadline gets a response within 15 s", async () => {
  const server = await startPostgres({ settings: { fsync: "off" } });
  onTestFinished(() => server.stop());
  const tenantId = "t-1";
  const app = await startTestApp({ DATABASE_URL: server.url, ACCOUNTS_TENANT: tenantId });
  onTestFinished(() => app.end());
  const { access } = createAdminClients(app);
  const deleteItem = "platform.v1.VaultService/DeleteItem";
  const listVaults = "platform.accounts.v1.MemberVaultService/ListVaults";
  const client = { tenantId, oauthClientId: "c-1", name: "C", enabled: true };
  await access.setPrincipal({ tenantId, principalId: "p-1", active: true });
  await access.setOauthClient({ ...client, allowedOperations: [deleteItem, listVaults] });
  const scopes = ["vault.items:delete", "vault.items:read"];
  const subject = { tenantId, principalId: "p-1", oauthClientId: "c-1", scopes, expiresInSeconds: 600 };
  const { accessToken } = await access.issueAccessToken(subject);

  const send = (url = "", operation: string, body: object, token = accessToken) => call(url, operation, body, token);
  const removal = { vaultId: "none", itemId: "none", baseVersion: 1 };
  const form = (parameters: Readonly<Record<string, string>>) => ({
    method: "POST",
    body: new URLSearchParams({ client_id: "c-1", ...parameters }),
  });
  const page = { headers: { Cookie: `__Host-session=${"A".repeat(43)}`, Accept: "text/html" } };
  const callers = {
    "a public call": () => send(app.publicUrl, deleteItem, removal),
    "a private call": () =>
      send(
        app.internalUrl,
        "platform.internal.v1.VaultAdminService/ListChanges",
        { tenantId, vaultId: "none", limit: 1 },
        app.adminToken,
      ),
    "a call of a member": () => send(app.accountsUrl, listVaults, {}),
    "a page of a signed-in person": () => fetch(`${app.pagesUrl}/console`, page),
    "the start of a device authorization": () => fetch(`${app.accountsUrl}/oauth/device_authorization`, form({})),
    "a refresh": () =>
      fetch(`${app.accountsUrl}/oauth/token`, form({ grant_type: "refresh_token", refresh_token: "x" })),
  };
  const each = Object.entries(callers);
  const reached = ({ status }: Answered) => status < 500;
  expect((await answersOf(each)).filter(reached)).toHaveLength(each.length);

  const continueServer = stopServer(server);
  try {
    // The rate limiter asks the database for one caller after the other: further callers wait for it twice.
    const first = answersOf([["a refresh", callers["a refresh"]]]);
    await fetch(`${app.accountsUrl}/healthz`);
    const answers = (await Promise.all([first, answersOf(each)])).flat();
    expect(answers.filter((answer) => reached(answer) || answer.ms > longestMs)).toEqual([]);
  } finally {
    continueServer();
  }
  await expect.poll(async () => (await fetch(`${app.publicUrl}/readyz`)).status).toBe(200);
  expect((await answersOf(each)).filter(reached)).toHaveLength(each.length);
});

/** How a call ended, and when. */
interface Answered {
  readonly name: string;
  readonly status: number;
  readonly ms: number;
}

/** Makes calls at the same time. */
function answersOf(calls: readonly (readonly [string, () => Promise<{ readonly status: number }>])[]) {
  const startedAt = performance.now();
  return Promise.all(
    calls.map(async ([name, make]): Promise<Answered> => {
      const { status } = await make();
      return { name, status, ms: performance.now() - startedAt };
    }),
  );
}
