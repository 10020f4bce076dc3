import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { deviceGrant, newKey, post, postWithKey, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { approveRequest } from "@platform-rpc/accounts/testing/answer-request";
import { signUpPerson } from "@platform-rpc/accounts/testing/person";
import { openSiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { expect, it } from "vitest";
import { z } from "zod";
import { call } from "../../src/testing/call.js";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const tenantId = "canary";
const principalId = "p-1";
const oauthClientId = "c-1";
const redirectUri = "http://127.0.0.1/callback";
const scopes = ["vault.items:delete", "identity.device_authorizations:exchange"];
const inner = "platform.internal.v1.";
const deletion = "platform.v1.VaultService/DeleteItem";
const exchange = "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";

const text = (json: unknown, ...path: string[]): string =>
  z.string().parse(path.reduce<unknown>((value, name) => z.looseObject({}).parse(value)[name], json));

/** Returns the words that occur in any of the files. Uses grep, because the app has closed the database. */
function foundIn(files: readonly string[], words: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const grep = execFile("grep", ["-ohaFs", "-f", "-", ...files], (error, out) => {
      // 1: no match. 2 with -s: a file does not exist, such as the WAL after a clean stop.
      if (error !== null && error.code !== 1 && error.code !== 2) reject(error);
      else resolve([...new Set(out.split("\n").filter((line) => line !== ""))]);
    });
    grep.stdin?.end(words.join("\n"));
  });
}

it("SPEC section 5.3: no secret is logged, printed, contained in an error, or stored", async () => {
  const DATA_DIR = await temporaryFolder();
  const app = await runApp({ DATA_DIR, LOG_LEVEL: "trace", ACCOUNTS_TENANT: tenantId });
  const adminToken = await readFile(join(DATA_DIR, "admin.token"), "utf8");
  const errors: string[] = [];
  const ask = async (url: string, operation: string, body: unknown, token: string) => {
    const answer = await call(url, operation, body, token);
    if (answer.status !== 200) errors.push(answer.text + JSON.stringify([...answer.headers]));
    return answer.json;
  };
  const admin = (operation: string, body: object) => ask(app.internalUrl, inner + operation, body, adminToken);
  const secret = (name: string) =>
    Buffer.from(`canary-${name}-${randomBytes(24).toString("hex")}`).toString("base64url");

  // Setup with two items: one that stays, and one in a vault that shreds deleted items at once.
  const allowedOperations = [deletion, exchange];
  await admin("AccessAdminService/SetPrincipal", { tenantId, principalId, active: true });
  await admin("AccessAdminService/SetOauthClient", {
    tenantId,
    oauthClientId,
    name: "C",
    allowedOperations,
    enabled: true,
    redirectUris: [redirectUri],
  });
  const issue = { tenantId, principalId, oauthClientId, scopes };
  const callerToken = text(await admin("AccessAdminService/IssueAccessToken", issue), "accessToken");
  const content = (name: string) => ({
    kind: "login",
    titleHash: secret(`title-${name}`),
    encryptedPayload: {
      alg: "A256GCM",
      nonce: secret(`nonce-${name}`).slice(0, 64),
      aad: secret(`aad-${name}`),
      ciphertext: secret(`ciphertext-${name}`),
      version: 1,
    },
    wrappedKeys: [{ recipientId: principalId, wrapAlg: "A256KW", wrappedKey: secret(`wrapped-${name}`) }],
  });
  const wordsOf = ({ titleHash, encryptedPayload, wrappedKeys }: ReturnType<typeof content>) => [
    titleHash,
    encryptedPayload.nonce,
    encryptedPayload.aad,
    encryptedPayload.ciphertext,
    ...wrappedKeys.map(({ wrappedKey }) => wrappedKey),
  ];
  const kept = content("kept");
  const gone = content("gone");
  for (const [vaultId, retentionDays, item] of [
    ["v-kept", 30, kept],
    ["v-gone", 0, gone],
  ] as const) {
    await admin("VaultAdminService/CreateVault", { tenantId, vaultId, retentionDays });
    await admin("VaultAdminService/SetVaultMember", { tenantId, vaultId, principalId, role: "owner" });
    await admin("VaultAdminService/PutItem", { tenantId, vaultId, itemId: "i-1", ...item });
  }

  // A device authorization, from its start to the tokens.
  const started = await admin("DeviceAuthorizationService/StartDeviceAuthorization", {
    tenantId,
    oauthClientId,
    scopes,
  });
  const deviceCode = text(started, "deviceCode");
  const userCode = text(started, "userCode");
  await admin("DeviceAuthorizationService/ApproveDeviceAuthorization", { tenantId, principalId, userCode, scopes });
  const idempotencyKey = secret("idempotency-key");
  const exchanged: unknown = await fetch(`${app.publicUrl}/${exchange}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Connect-Protocol-Version": "1",
      Authorization: `Bearer ${callerToken}`,
      "Idempotency-Key": idempotencyKey,
    },
    body: JSON.stringify({ deviceCode }),
  }).then((response) => response.json());
  const agentToken = text(exchanged, "accessToken");
  const brokerToken = text(exchanged, "brokerToken", "accessToken");
  await ask(app.publicUrl, deletion, { vaultId: "v-gone", itemId: "i-1", baseVersion: 1 }, agentToken);

  // The same over OAuth, twice: with an error for each endpoint.
  const [, accounts = "", pages = ""] = /^ {2}accounts +(\S+) \(pages: ([^,]+)/m.exec(app.out()) ?? [];
  const key = newKey();
  const client = { client_id: oauthClientId };
  const oauthStart = await post(`${accounts}/oauth/device_authorization`, client);
  const oauthUserCode = textOf(oauthStart, "user_code");
  await admin("DeviceAuthorizationService/ApproveDeviceAuthorization", {
    tenantId,
    principalId,
    userCode: oauthUserCode,
    scopes,
  });
  const redemption = { ...client, grant_type: deviceGrant, device_code: textOf(oauthStart, "device_code") };
  const redeemed = await postWithKey(`${accounts}/oauth/token`, redemption, key);
  const refresh = { ...client, grant_type: "refresh_token", refresh_token: textOf(redeemed, "refresh_token") };
  const refreshed = await postWithKey(`${accounts}/oauth/token`, refresh, key);
  const oauthSecrets = [
    textOf(oauthStart, "device_code"),
    oauthUserCode,
    ...[redeemed, refreshed].flatMap((answer) => [textOf(answer, "access_token"), textOf(answer, "refresh_token")]),
  ];
  for (const [path, form] of [
    ["token", redemption],
    ["token", { ...refresh, scope: String(refresh.refresh_token) }],
    [`token?refresh_token=${refresh.refresh_token}`, refresh],
    ["device_authorization", { client_id: refresh.refresh_token }],
    ["revoke", { token: refresh.refresh_token, client_id: refresh.refresh_token }],
    [`${refresh.refresh_token}`, refresh],
  ] as const) {
    const answer = await fetch(`${accounts}/oauth/${path}`, { method: "POST", body: new URLSearchParams(form) });
    errors.push((await answer.text()) + JSON.stringify([...answer.headers]));
  }

  // The same by authorization code, pushed and approved by a person with a browser; then again, with errors.
  const { browser } = await signUpPerson({ openBrowser: () => openSiteBrowser(pages) });
  const codeVerifier = `pcv_${randomBytes(32).toString("base64url")}`;
  const state = secret("state");
  const request = {
    ...client,
    response_type: "code",
    redirect_uri: redirectUri,
    code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    code_challenge_method: "S256",
    scope: "vault.items:delete offline_access",
  };
  const requestUri = textOf(await postWithKey(`${accounts}/oauth/par`, request, key), "request_uri");
  const pushed = new URLSearchParams({ ...client, request_uri: requestUri });
  const { redirectedTo } = await approveRequest(browser, new URL(`${pages}/oauth/authorize?${pushed}`));
  const authorizationCode = redirectedTo.searchParams.get("code") ?? "";
  const codeForm = {
    ...client,
    grant_type: "authorization_code",
    code: authorizationCode,
    code_verifier: codeVerifier,
  };
  const codeTokens = await postWithKey(`${accounts}/oauth/token`, codeForm, key);
  const codeSecrets = [
    authorizationCode,
    codeVerifier,
    textOf(codeTokens, "access_token"),
    textOf(codeTokens, "refresh_token"),
  ];
  for (const changes of [
    { state },
    { state, scope: state },
    { state, redirect_uri: state },
    { state, prompt: state },
  ]) {
    const sent = new URLSearchParams({ ...request, ...changes });
    const answer = await fetch(`${pages}/oauth/authorize?${sent}`, { redirect: "manual" });
    errors.push(await answer.text());
  }
  for (const [path, form] of [
    ["token", { ...codeForm, redirect_uri: authorizationCode }],
    ["par", { ...request, code_challenge: codeVerifier, state, dpop_jkt: authorizationCode }],
    [`authorize?${pushed}`, { decision: authorizationCode }],
  ] as const) {
    const answer = await fetch(`${pages}/oauth/${path}`, { method: "POST", body: new URLSearchParams(form) });
    errors.push((await answer.text()) + JSON.stringify([...answer.headers]));
  }

  // Failing calls that contain secrets.
  const ciphertext = kept.encryptedPayload.ciphertext;
  await ask(app.publicUrl, exchange, { deviceCode }, callerToken);
  await ask(app.publicUrl, exchange, { deviceCode: [deviceCode] }, callerToken);
  await ask(app.publicUrl, deletion, { vaultId: ciphertext, itemId: ciphertext, baseVersion: ciphertext }, callerToken);
  await ask(app.publicUrl, deletion, { vaultId: "v-kept", itemId: "i-1", baseVersion: 7 }, agentToken);
  await ask(app.publicUrl, deletion, `{"vaultId": ${ciphertext}`, agentToken);
  await ask(app.publicUrl, `${deletion}?access_token=${agentToken}`, {}, agentToken);
  await ask(app.publicUrl, `${deletion}?q=${deviceCode}`, {}, brokerToken);
  for (const word of [authorizationCode, requestUri, codeVerifier]) {
    const { status, json } = await call(app.publicUrl, `${deletion}?q=${encodeURIComponent(word)}`, {}, agentToken);
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining("TOKEN_IN_QUERY")]);
    const headers = { "X-Request-Id": word };
    const answer = await fetch(`${app.publicUrl}/${deletion}`, { method: "POST", headers });
    errors.push((await answer.text()) + JSON.stringify([...answer.headers]));
  }
  await ask(app.publicUrl, deletion, {}, brokerToken);
  await ask(app.publicUrl, `${deviceCode}/${userCode}`, {}, `${agentToken}x`);
  await admin("DeviceAuthorizationService/DenyDeviceAuthorization", { tenantId, principalId, userCode });
  await admin("DeviceAuthorizationService/GetDeviceAuthorization", { tenantId, principalId: "nobody", userCode });
  await admin("VaultAdminService/PutItem", { tenantId, vaultId: "v-kept", itemId: "i-1", ...kept, kind: ciphertext });
  await admin("VaultAdminService/PutItem", { tenantId, vaultId: "v-kept", itemId: "i-1", baseVersion: 9, ...kept });
  expect(errors.length).toBe(29);
  expect(await app.stop()).toBe(0);

  const keysFile = JSON.parse(await readFile(join(DATA_DIR, "keys.json"), "utf8"));
  const signingKey = text(keysFile.keys[0], "jwk", "d");
  const userKeys = JSON.parse(await readFile(join(DATA_DIR, "demo/user-key.json"), "utf8"));
  const codes = [deviceCode, userCode, userCode.replace("-", ""), requestUri, ...oauthSecrets, ...codeSecrets];
  const tokens = [adminToken, callerToken, agentToken, brokerToken];
  const keys = [state, idempotencyKey, signingKey, text(keysFile, "hmacKey"), text(userKeys, "encryptionKey", "d")];
  const stored = ["", "-wal", "-shm"].map((suffix) => join(DATA_DIR, `platform.sqlite${suffix}`));

  const output = [app.out(), app.err(), ...errors].join("\n");
  expect(output).toContain('"reason":"VERSION_CONFLICT"');
  const all = [...codes, ...tokens, ...keys, ...wordsOf(kept), ...wordsOf(gone)];
  expect(all.filter((word) => output.includes(word))).toEqual([]);
  // The kept item is found, which proves that the search works.
  expect(await foundIn(stored, all)).toEqual(expect.arrayContaining(wordsOf(kept)));
  expect(await foundIn(stored, [...codes, ...tokens, ...keys, ...wordsOf(gone)])).toEqual([]);
});
