import { deviceGrant, newKey, post, postWithKey, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientId, deleteScope, exchangeScope, type OAuthApp, startOAuthApp } from "./testing/oauth-app.js";

let app: OAuthApp;
beforeAll(async () => {
  app = await startOAuthApp({ RATE_LIMITS: "off" });
});
afterAll(() => app.end());

const brokerAudience = "https://platform.example/broker";
const redeem = (deviceCode: string) => ({ grant_type: deviceGrant, client_id: clientId, device_code: deviceCode });

describe("the device authorization grant (RFC 8628)", () => {
  it("starts with a code for the device and one for the user, who approves on the accounts origin", async () => {
    const { status, headers, json } = await post(`${app.accounts}/oauth/device_authorization`, { client_id: clientId });
    expect(status).toBe(200);
    expect(json).toEqual({
      device_code: expect.stringMatching(/^pdc_[\w-]{43}$/),
      user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      verification_uri: `${app.accounts}/device`,
      verification_uri_complete: `${app.accounts}/device?user_code=${json.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  it("ends with an access token that the API accepts, and a refresh token", async () => {
    const answer = await app.signIn();
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: expect.any(Number),
      scope: `${exchangeScope} ${deleteScope}`,
      refresh_token: expect.stringMatching(/^prt_[0-9a-f-]{36}\.1\.[\w-]{43}$/),
    });
    expect(await app.callApi(textOf(answer, "access_token"))).toBe(404);
  });

  it("without a scope, requests all scopes of the client; with one, only that", async () => {
    const { deviceCode, userCode } = await app.start({ scope: deleteScope });
    await expect(app.approve(userCode, [exchangeScope])).rejects.toThrow("INVALID_FIELD");
    await app.approve(userCode, [deleteScope]);
    expect((await post(app.token, redeem(deviceCode))).json).toMatchObject({ scope: deleteScope });
  });

  it("a code may name its resource: the API by its audience or URL, or the broker (RFC 8707)", async () => {
    const named = ["https://platform.example/api", app.publicUrl, `${app.publicUrl}/`, brokerAudience];
    for (const resource of named) expect((await app.start({ resource })).deviceCode).toMatch(/^pdc_/);
  });

  it("a resource selects the token: the API by its audience or URL, or the broker (RFC 8707)", async () => {
    const audience = "https://platform.example/api";
    for (const resource of [audience, app.publicUrl, `${app.publicUrl}/`]) {
      const token = textOf(await app.signIn(undefined, { resource }), "access_token");
      expect(decodeJwt(token).aud).toBe(audience);
    }
    const unbound = await app.signIn(undefined, { resource: brokerAudience });
    expect([decodeJwt(textOf(unbound, "access_token")).aud, unbound.json.token_type]).toEqual([
      brokerAudience,
      "Bearer",
    ]);
  });
});

describe("a code that is bound to a key (RFC 9449)", () => {
  it("gives a broker token of the type DPoP, and an API token of the type Bearer", async () => {
    const key = newKey();
    const broker = await app.signIn(key, { resource: brokerAudience });
    expect(broker.json.token_type).toBe("DPoP");
    expect(decodeJwt(textOf(broker, "access_token"))).toMatchObject({ cnf: { jkt: expect.any(String) } });
    expect((await app.signIn(key)).json.token_type).toBe("Bearer");
  });

  it("may be bound by its thumbprint", async () => {
    const key = newKey();
    const { cnf } = decodeJwt(textOf(await app.signIn(key, { resource: brokerAudience }), "access_token"));
    const { jkt = "" }: { jkt?: string } = Object(cnf);
    const { deviceCode, userCode } = await app.start({ dpop_jkt: jkt });
    await app.approve(userCode);
    expect((await post(app.token, redeem(deviceCode))).json).toMatchObject({ error: "invalid_dpop_proof" });
    expect((await postWithKey(app.token, redeem(deviceCode), key)).status).toBe(200);
  });
});
