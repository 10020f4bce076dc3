import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { deviceGrant } from "../../src/oauth/testing/oauth-calls.js";
import {
  answerIn,
  clientId,
  deleteScope,
  parameters,
  readScope,
  startCodeSite,
} from "../authorize/testing/code-site.js";

const answer = z.object({
  error: z.string().optional(),
  scope: z.string().optional(),
  request_uri: z.string().optional(),
  device_code: z.string().optional(),
  user_code: z.string().optional(),
  refresh_token: z.string().default(""),
});

const site = await startCodeSite({ rateLimiter: undefined }, afterAll);
await site.setClient({ grantTypes: ["authorization_code", "refresh_token", deviceGrant] });

async function send(path: string, form: Readonly<Record<string, string>>, scope?: string) {
  const whole = { client_id: clientId, ...form, ...(scope !== undefined && { scope }) };
  return answer.parse((await site.software.send(path, { form: whole })).body);
}
const refresh = (refresh_token: string, scope?: string) =>
  send("/oauth/token", { grant_type: "refresh_token", refresh_token }, scope);

const all = [deleteScope, readScope];

/** Each way to tokens: returns them, or the error of the first request. The endpoint of a code reads what was pushed, too. */
const ways = {
  async code(scope: string | undefined, approved: readonly string[]) {
    const { scope: _, ...others } = parameters;
    const { request_uri, ...pushed } = await send("/oauth/par", others, scope);
    if (request_uri === undefined) return pushed;
    const path = `/oauth/authorize?${new URLSearchParams({ client_id: clientId, request_uri })}`;
    const { location } = await site.decide(path, { decision: "approve", scope: approved });
    return answer.parse((await site.redeem(answerIn(location).code ?? "")).body);
  },
  async device(scope: string | undefined, approved: readonly string[]) {
    const { device_code, user_code: userCode = "", ...started } = await send("/oauth/device_authorization", {}, scope);
    if (device_code === undefined) return started;
    const person = { tenantId: "acme", principalId: site.accountId };
    await site.site.own.answerDeviceAuthorization({ ...person, userCode }, { approve: approved }, site.call);
    return send("/oauth/token", { grant_type: deviceGrant, device_code });
  },
};

describe.each(["code", "device"] as const)("the scopes of a %s (RFC 6749 section 3.3)", (way) => {
  const byDefault = way === "device" ? all : [readScope];
  it.each([
    ["those of OpenID Connect", `openid profile email ${readScope}`, [readScope]],
    ["an unknown one, and one that the client may not have", `unknown vault.items:write ${readScope}`, [readScope]],
    ["offline_access", `${readScope} ${deleteScope} offline_access`, all],
    ["more spaces, and characters that no scope has", ` "x"  ${readScope} `, [readScope]],
    ["none", undefined, byDefault],
    ["none for an API", "openid offline_access", byDefault],
  ])(
    "with %s: every answer names what was granted, also if more is asked at each refresh",
    async (_, asked, granted) => {
      const scope = [...granted, "offline_access"].join(" ");
      let tokens = await ways[way](asked, granted);
      expect(tokens).toMatchObject({ scope });
      for (const again of [asked, `${scope} vault.items:write`, "openid", undefined]) {
        tokens = await refresh(tokens.refresh_token, again);
        expect(tokens).toMatchObject({ scope });
      }
    },
  );

  it.each(["unknown", "openid vault.items:write", "VAULT.ITEMS:READ"])("%s: invalid_scope", async (scope) => {
    expect(await ways[way](scope, all)).toMatchObject({ error: "invalid_scope" });
  });

  it("a refresh never gives a scope that was not approved", async () => {
    const { refresh_token } = await ways[way](readScope, [readScope]);
    expect(await refresh(refresh_token, deleteScope)).toMatchObject({ error: "invalid_scope" });
    expect(await refresh(refresh_token, all.join(" "))).toMatchObject({ scope: `${readScope} offline_access` });
  });
});
