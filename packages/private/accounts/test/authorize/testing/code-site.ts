import { createHash, randomBytes } from "node:crypto";
import type { OauthClient } from "@platform-rpc/server/host";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { ownCall } from "../../../src/http/own-call.js";
import type { TestKey } from "../../../src/oauth/testing/oauth-calls.js";
import { createAccountsSite, type SiteChanges, siteOrigin } from "../../../src/testing/accounts-site.js";
import { boundsForm } from "../../../src/testing/bounds-form.js";
import { signUpPerson } from "../../../src/testing/person.js";
import type { SiteBrowser, SiteRequest } from "../../../src/testing/site-browser.js";

const tenantId = "acme";
export const clientId = "agent";
export const redirectUri = "http://127.0.0.1:4711/callback";
/** A request whose response goes to a website. */
export const atSite = { redirect_uri: "https://client.example.com/callback?kept=1" };
/** It has the host name of the pages, so no answer goes there. */
export const atPages = `https://${new URL(siteOrigin).hostname}:8443/callback`;
export const readScope = "vault.items:read";
export const deleteScope = "vault.items:delete";
const codeVerifier = randomBytes(32).toString("base64url");
export const state = "state of the client";

/** The parameters of a request without mistakes. */
export const parameters = {
  response_type: "code",
  client_id: clientId,
  redirect_uri: redirectUri,
  code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
  code_challenge_method: "S256",
  state,
  scope: `${readScope} offline_access`,
} satisfies Record<string, string>;

/** Changes of the parameters. Undefined: without the parameter. */
export type Changes = Readonly<Record<string, string | undefined>>;

/** The site with a registered client, and a person who has signed up. `atEnd` registers what closes it. Default: after the test. */
export async function startCodeSite(
  parts: SiteChanges = {},
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
  always: Changes = {},
) {
  const changed = (changes: Changes): Record<string, string> => {
    const pairs = Object.entries({ ...parameters, ...always, ...changes });
    return Object.fromEntries(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  };
  const site = await createAccountsSite(parts);
  atEnd(site.close);
  const call = ownCall("test", site.secrets);
  const allowedOperations = [
    "platform.v1.VaultService/DeleteItem",
    "platform.accounts.v1.MemberVaultService/ListVaults",
  ];
  const registered: OauthClient = {
    tenantId,
    oauthClientId: clientId,
    name: "<Agent>",
    allowedOperations,
    enabled: true,
    redirectUris: [
      "http://127.0.0.1/callback",
      "https://client.example.com/callback?kept=1",
      "com.example.app:/callback",
      atPages,
    ],
    grantTypes: [],
    requirePushedAuthorizationRequests: false,
  };
  const setClient = (changes: Partial<OauthClient> = {}) =>
    site.own.setOauthClient({ ...registered, ...changes }, call);
  await setClient();
  const { browser, accountId, signIn } = await signUpPerson(site);
  const software = site.openBrowser({ address: "192.0.2.99" });

  const authorizePath = (changes: Changes = {}) => `/oauth/authorize?${new URLSearchParams(changed(changes))}`;
  const decide = (path: string, form: SiteRequest["form"] = { decision: "approve", scope: readScope }, by = browser) =>
    by.send(path, { form: { person: accountId, ...boundsForm(site.clock.now(), accountId), ...form } });
  /** Sends the token request for a code. */
  const redeem = (code: string, changes: Changes = {}, headers: Record<string, string> = {}) => {
    const token = {
      grant_type: "authorization_code",
      code,
      client_id: clientId,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
      ...always,
      ...changes,
    };
    const form = Object.fromEntries(Object.entries(token).flatMap(([name, value]) => (value ? [[name, value]] : [])));
    return software.send("/oauth/token", { form, headers });
  };
  return {
    site,
    call,
    setClient,
    accountId,
    browser,
    signIn,
    software,
    authorizePath,
    authorize: (changes: Changes = {}, by: SiteBrowser = browser) => by.send(authorizePath(changes)),
    decide,
    /** Pushes a request (RFC 9126), and returns the path at which a browser opens it. */
    async push(changes: Changes = {}) {
      const { status, body } = await software.send("/oauth/par", { form: changed(changes) });
      expect([status, body]).toEqual([201, { request_uri: expect.stringMatching(/^urn:/), expires_in: 600 }]);
      const { request_uri } = body as { request_uri: string };
      return `/oauth/authorize?${new URLSearchParams({ client_id: clientId, request_uri })}`;
    },
    redeem,
    /** Sends the token request for a code with a proof of a key, and the nonce for which the server asks. */
    async redeemWithKey(code: string, key: TestKey, changes: Changes = {}) {
      const url = `${issuer}/oauth/token`;
      const asking = await redeem(code, changes, { DPoP: await key.prove(url) });
      return redeem(code, changes, { DPoP: await key.prove(url, { nonce: asking.headers.get("DPoP-Nonce") }) });
    },
    /** Approves a request, and returns the code. */
    async approve(changes: Changes = {}, scope: string | readonly string[] = readScope) {
      const { location } = await decide(authorizePath(changes), { decision: "approve", scope });
      return answerIn(location).code ?? "";
    },
  };
}

const answer = z.looseObject({ code: z.string().optional(), error: z.string().optional() });

/** The same, where the client is a website: only that can be answered without a page and without a key. */
export const startWebSite = () => startCodeSite({}, onTestFinished, atSite);

/** Returns the parameters that a redirect adds to the redirect URI. */
export function answerIn(location: string | undefined): z.infer<typeof answer> {
  return answer.parse(Object.fromEntries(new URL(location ?? "about:blank").searchParams));
}

export const issuer = siteOrigin;
