import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { deviceGrant, post, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { expect, it } from "vitest";
import { call } from "../../testing/call.js";
import { runApp } from "../../testing/program.js";
import { temporaryFolder } from "../../testing/temporary-folder.js";
import { clientId, deletion, principalId, tenantId } from "./testing/oauth-app.js";

/** Starts the built app, and returns its token endpoint. */
async function start(DATA_DIR: string) {
  const app = await runApp({
    DATA_DIR,
    DRAIN_DELAY_SECONDS: "0",
    ACCOUNTS_TENANT: tenantId,
    DEMO: "off",
    RATE_LIMITS: "off",
    LOG_LEVEL: "silent",
  });
  const accounts = /^ {2}accounts +(\S+)/m.exec(app.out())?.[1] ?? "";
  const adminToken = await readFile(join(DATA_DIR, "admin.token"), "utf8");
  return {
    ...app,
    accounts,
    admin: (operation: string, body: object) =>
      call(app.internalUrl, `platform.internal.v1.${operation}`, body, adminToken),
    refresh: (refreshToken: string) =>
      post(`${accounts}/oauth/token`, {
        grant_type: "refresh_token",
        client_id: clientId,
        refresh_token: refreshToken,
      }),
  };
}

/** Signs in with a device code. */
async function signIn(app: Awaited<ReturnType<typeof start>>) {
  const client = { tenantId, oauthClientId: clientId, name: "A", allowedOperations: [deletion], enabled: true };
  await app.admin("AccessAdminService/SetOauthClient", client);
  await app.admin("AccessAdminService/SetPrincipal", { tenantId, principalId, active: true });
  const started = await post(`${app.accounts}/oauth/device_authorization`, { client_id: clientId });
  const approval = { tenantId, principalId, userCode: textOf(started, "user_code"), scopes: ["vault.items:delete"] };
  await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", approval);
  const device_code = textOf(started, "device_code");
  return post(`${app.accounts}/oauth/token`, { grant_type: deviceGrant, client_id: clientId, device_code });
}

it("kill -9 between and during refreshes loses no session: the last known refresh token continues it", async () => {
  const dataDir = await temporaryFolder();
  let app = await start(dataDir);
  let token = textOf(await signIn(app), "refresh_token");

  for (const answersUntilKill of [0, 1, 4]) {
    for (let answers = 0; ; answers += 1) {
      if (answers === answersUntilKill) app.signal("SIGKILL");
      const answer = await app.refresh(token).catch(() => undefined);
      if (answer === undefined) break;
      token = textOf(answer, "refresh_token");
    }
    await app.ended;
    app = await start(dataDir);
    const answer = await app.refresh(token);
    expect(answer.status).toBe(200);
    token = textOf(answer, "refresh_token");
  }
  expect(await app.stop()).toBe(0);
}, 60_000);

it("DECISIONS section 9: a stop records the access tokens that were used just before", async () => {
  const dataDir = await temporaryFolder();
  let app = await start(dataDir);
  const first = textOf(await signIn(app), "refresh_token");
  const second = await app.refresh(first);
  const body = { vaultId: "v", itemId: "i", baseVersion: 1 };
  expect((await call(app.publicUrl, deletion, body, textOf(second, "access_token"))).status).toBe(404);
  expect(await app.stop()).toBe(0);
  app = await start(dataDir);
  expect((await app.refresh(first)).json.error).toBe("invalid_grant");
  expect((await app.refresh(textOf(second, "refresh_token"))).json.error).toBe("invalid_grant");
  expect(await app.stop()).toBe(0);
});
