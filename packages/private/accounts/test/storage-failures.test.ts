import { StorageError } from "@platform-rpc/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAccountsSite } from "../src/testing/accounts-site.js";
import { begin, signUpPerson } from "../src/testing/person.js";
import type { SiteBrowser, SiteRequest } from "../src/testing/site-browser.js";

const json = {};
const form = {};
const failures = [
  {
    error: new StorageError("unavailable"),
    status: 503,
    title: "Not available",
    code: "temporarily_unavailable",
    reason: "UNAVAILABLE",
    retryAfter: "1",
  },
  {
    error: new TypeError("a secret"),
    status: 500,
    title: "The server failed",
    code: "server_error",
    reason: "INTERNAL",
    retryAfter: null,
  },
];

describe.each(failures)(
  "when the storage fails with $error.name",
  ({ error, status, title, code, reason, retryAfter }) => {
    let browser: SiteBrowser;
    let visitor: SiteBrowser;
    let close: () => Promise<void>;
    beforeAll(async () => {
      const site = await createAccountsSite();
      ({ close } = site);
      ({ browser } = await signUpPerson(site));
      visitor = site.openBrowser();
      await begin(visitor, "sign-in", { again: false });
      site.breakStorage(error);
    });
    afterAll(() => close());

    /** What a response contains: JSON for scripts, a page for people. */
    const reported = (path: string) => {
      const message = expect.stringContaining(title);
      return { status, body: path.startsWith("/account/api/") ? { reason, message } : message };
    };

    it.each<readonly [string, SiteRequest]>([
      ["/console", {}],
      ["/account/api/console", {}],
      ["/account/api/token", { json }],
      ["/account/api/access/end", { json }],
      ["/device/decision", { form }],
      ["/sign-out", { form }],
    ])("%s reports it to a signed-in person, who stays signed in", async (path, request) => {
      const page = { headers: { Accept: "text/html" } };
      const { headers, ...answer } = await browser.send(path, { ...page, ...request });
      expect(answer).toMatchObject(reported(path));
      expect(headers.get("Retry-After")).toBe(retryAfter);
      expect(JSON.stringify(answer.body)).toContain(headers.get("X-Request-Id"));
      expect(JSON.stringify(answer.body)).not.toContain(error.message);
      expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect(headers.getSetCookie()).toEqual([]);
      expect(headers.has("Clear-Site-Data")).toBe(false);
    });

    it.each([["sign-up/begin", { displayName: "Eve" }]])("%s reports it to everybody else", async (path, body) => {
      const answer = await visitor.send(`/account/api/${path}`, { json: body });
      expect(answer).toMatchObject(reported("/account/api/"));
      expect(visitor.cookies.has("__Host-session")).toBe(false);
    });

    it.each(["device_authorization", "token", "revoke"])("/oauth/%s reports it to OAuth clients", async (endpoint) => {
      const parameters = { client_id: "platform-cli", grant_type: "refresh_token", refresh_token: "x", token: "x" };
      const answer = await visitor.send(`/oauth/${endpoint}`, { form: parameters });
      expect(answer).toMatchObject({ status, body: { error: code, error_description: expect.any(String) } });
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect(answer.headers.get("Retry-After")).toBe(retryAfter);
    });

    it.each(["/healthz", "/.well-known/oauth-authorization-server", "/oauth/jwks", "/assets/style.css", "/sign-in"])(
      "%s does not need it",
      async (path) => {
        expect(await visitor.send(path)).toMatchObject({ status: 200 });
      },
    );
  },
);
