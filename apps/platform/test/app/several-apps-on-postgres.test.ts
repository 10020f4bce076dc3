import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import { beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { createAdminClients } from "../../src/rpc/admin-clients.js";
import { call } from "../../src/testing/call.js";
import { startTestApp, type TestApp } from "../../src/testing/start-test-app.js";
import { newTemporaryFolder } from "../../src/testing/temporary-folder.js";

const deleteItem = "platform.v1.VaultService/DeleteItem";
const nothing = { vaultId: "none", itemId: "none", baseVersion: 1 };
const subject = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1" };

/** Starts two apps with one database and one key file, at the same moment. They end with the test. */
async function startTwoApps() {
  const shared = await newTemporaryFolder();
  onTestFinished(shared.remove);
  const DATABASE_URL = (await testDatabase(shared.path, { migrated: false })) ?? "";
  onTestFinished(() => dropTestDatabase(shared.path));
  const start = () => startTestApp({ DATABASE_URL, KEYS_FILE: join(shared.path, "keys.json") });
  const [first, second] = await Promise.all([start(), start()]);
  onTestFinished(async () => {
    await Promise.all([first.end(), second.end()]);
  });
  return { first, second, admin: createAdminClients(first) };
}

/** Deletes an item that does not exist, in the first or the second app. Returns the status: 404 if the caller is admitted. */
const statusIn = async ({ publicUrl }: TestApp, token: string) =>
  (await call(publicUrl, deleteItem, nothing, token)).status;

describe.runIf(inject("postgresUrl") !== undefined)("two apps with one database and one key file", () => {
  let apps: Awaited<ReturnType<typeof startTwoApps>>;
  let token: { readonly accessToken: string; readonly tokenId: string };
  const { tenantId, principalId, oauthClientId } = subject;
  const oauthClient = { tenantId, oauthClientId, name: "C", allowedOperations: [deleteItem], enabled: true };

  beforeEach(async () => {
    apps = await startTwoApps();
    const { access } = apps.admin;
    await access.setPrincipal({ tenantId, principalId, active: true });
    await access.setOauthClient(oauthClient);
    token = await access.issueAccessToken({ ...subject, scopes: ["vault.items:delete"], expiresInSeconds: 600 });
    expect(await statusIn(apps.first, token.accessToken)).toBe(404);
    expect(await statusIn(apps.second, token.accessToken)).toBe(404);
  });

  it("use the same keys when they start at the same moment, and each has its own admin token", async () => {
    const { first, second } = apps;
    const jwks = await Promise.all(
      [first, second].map(async ({ publicUrl }) => (await fetch(`${publicUrl}/.well-known/jwks.json`)).json()),
    );
    expect(jwks[0]).toEqual(jwks[1]);
    expect(await readFile(first.adminTokenFile, "utf8")).not.toBe(await readFile(second.adminTokenFile, "utf8"));
    for (const app of [first, second]) {
      const { access } = createAdminClients(app);
      expect(await access.setPrincipal({ tenantId, principalId, active: true })).toBeDefined();
    }
  });

  it.each([
    ["a revoked token", 401, () => apps.admin.access.revokeToken({ tokenId: token.tokenId })],
    ["a disabled OAuth client", 403, () => apps.admin.access.setOauthClient({ ...oauthClient, enabled: false })],
    ["an inactive principal", 401, () => apps.admin.access.setPrincipal({ tenantId, principalId, active: false })],
  ])("DECISIONS section 5: both reject %s within a second", async (_, status, change) => {
    const { first, second } = apps;
    await change();
    const changedAt = performance.now();
    // A call that begins a second after the change is rejected, however busy the token was in between.
    while (performance.now() - changedAt < 1000) await statusIn(second, token.accessToken);
    expect(await statusIn(first, token.accessToken)).toBe(status);
    expect(await statusIn(second, token.accessToken)).toBe(status);
  });

  it("DECISIONS section 7: both together allow a principal at most 1.1 times the rate of DeleteItem", async () => {
    const startedAt = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        statusIn(index % 2 === 0 ? apps.first : apps.second, token.accessToken),
      ),
    );
    const admitted = statuses.filter((status) => status === 404).length;
    expect(statuses.filter((status) => status === 429)).toHaveLength(200 - admitted);
    expect(admitted).toBeGreaterThanOrEqual(90);
    expect(admitted).toBeLessThanOrEqual(1.1 * (100 + (performance.now() - startedAt) / 100));
  });

  it("DECISIONS section 7: both together allow a principal five wrong user codes", async () => {
    const guess = async (app: TestApp, userCode: string) => {
      const { authorizations } = createAdminClients(app);
      return authorizations
        .approveDeviceAuthorization({ tenantId, principalId, userCode, scopes: ["vault.items:delete"] })
        .catch(({ message }: Error) => message);
    };
    const wrong = ["BBBB-BBBB", "CCCC-CCCC", "DDDD-DDDD", "FFFF-FFFF", "GGGG-GGGG"];
    await Promise.all(wrong.map((code, index) => guess(index % 2 === 0 ? apps.first : apps.second, code)));
    const { authorizations } = apps.admin;
    const started = await authorizations.startDeviceAuthorization({
      tenantId,
      oauthClientId,
      scopes: ["vault.items:delete"],
    });
    for (const app of [apps.first, apps.second]) expect(await guess(app, started.userCode)).toContain("user code");
  });
});
