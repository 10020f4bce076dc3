import { deviceGrant, newKey, post, postWithKey, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { clientId, startOAuthApp } from "./testing/oauth-app.js";

const app = await startOAuthApp({ RATE_LIMITS: "off" });
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
      verification_uri: `${app.pages}/device`,
      verification_uri_complete: `${app.pages}/device?user_code=${json.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("access-control-allow-origin")).toBe("*");
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

  it("dpop_jkt binds a code to a key by its thumbprint (RFC 9449 section 10)", async () => {
    const key = newKey();
    const { cnf } = decodeJwt(textOf(await app.signIn(key, { resource: brokerAudience }), "access_token"));
    const { jkt = "" }: { jkt?: string } = Object(cnf);
    const { deviceCode, userCode } = await app.start({ dpop_jkt: jkt });
    await app.approve(userCode);
    expect((await post(app.token, redeem(deviceCode))).json).toMatchObject({ error: "invalid_dpop_proof" });
    expect((await postWithKey(app.token, redeem(deviceCode), key)).status).toBe(200);
  });
});
