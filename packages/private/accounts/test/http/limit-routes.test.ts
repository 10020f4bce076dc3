import type { Rate, RateLimiter } from "@platform-rpc/server/host";
import { Hono } from "hono";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { checkRouteLimits, routeNames } from "../../src/http/limit-routes.js";
import { otherRequests, type RouteLimits, routeLimits } from "../../src/http/route-limits.js";
import { createAccountsSite } from "../../src/testing/accounts-site.js";
import { signUpPerson } from "../../src/testing/person.js";
import type { SiteBrowser, SiteRequest } from "../../src/testing/site-browser.js";

const limits: readonly (readonly [name: string, RouteLimits])[] = Object.entries(routeLimits);
const brokers = new Map([["broker", { keys: [] }]]);

/** What the limiter of the site answers. */
let waitMs: (key: string) => number | Promise<number> = () => 0;
const taken: (readonly [key: string, Rate])[] = [];
const rateLimiter: RateLimiter = {
  take(key, rate) {
    taken.push([key, rate]);
    return waitMs(key);
  },
};
const site = await createAccountsSite({ brokers, rateLimiter });
const unlimited = await createAccountsSite({ rateLimiter: undefined });
const person = await signUpPerson(site);
beforeEach(() => {
  waitMs = () => 0;
  taken.length = 0;
});
afterAll(() => Promise.all([site.close(), unlimited.close()]));

/** Calls a route by its name. */
function callRoute(browser: SiteBrowser, name: string, headers: SiteRequest["headers"] = {}) {
  const [method, path = ""] = name.split(" ");
  const body = method === "POST" ? { form: {} } : {};
  return browser.send(path.replace(/:name|\*/, "any"), { ...body, headers: { Accept: "text/html", ...headers } });
}

/** Returns the error of a response, in the form that the callers of the route read. */
function errorForm(name: string, { oauth, reason, text }: { oauth: string; reason: string; text: string }) {
  const [, path = ""] = name.split(" ");
  if (path.startsWith("/account/api/")) return { reason, message: expect.any(String) };
  if (path !== "/oauth/authorize" && /^\/(?:oauth|\.well-known)\//.test(path)) {
    return { error: oauth, error_description: expect.stringContaining(text) };
  }
  return expect.stringContaining(text);
}

const tooMany = { oauth: "temporarily_unavailable", reason: "RATE_LIMITED", text: "Too many requests" };
const tooLarge = { oauth: "invalid_request", reason: "REQUEST_TOO_LARGE", text: "The body is too large" };

describe("DECISIONS section 9: every route of the accounts origin has a rate and a bound for its body", () => {
  it("the table lists exactly the routes that are registered", () => {
    expect([...routeNames(site.routes)].sort()).toEqual(Object.keys(routeLimits).sort());
  });

  it("an app with a route that is not in the table is not created", () => {
    const { routes } = new Hono().get("/sign-in").post("/account/api/new", (context) => context.body(null));
    expect(() => checkRouteLimits(routes)).toThrow("have no limits: POST /account/api/new. Add the rate");
  });

  it.each(limits.filter(([, { withoutStorage }]) => !withoutStorage))(
    "%s rejects a network beyond its rate, before it does anything else",
    async (name, { network }) => {
      waitMs = () => 1500;
      const { status, headers, body } = await callRoute(site.openBrowser({ address: "::ffff:192.0.2.7" }), name);
      expect([status, headers.get("Retry-After")]).toEqual([429, "2"]);
      expect(body).toEqual(errorForm(name, tooMany));
      expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect(taken).toEqual([[JSON.stringify(["accounts", name, "network", "192.0.2.7"]), network]]);
    },
  );

  const counted = [...limits, ["GET /nowhere", otherRequests] as const].filter(
    // Those with a larger burst, for health, would take 10 s.
    ([, { withoutStorage, network }]) => withoutStorage && network.burst <= 1000,
  );
  it.each(counted)(
    "%s rejects a network beyond its rate, and no other network, also when the rates of the storage cannot be read",
    async (name, { network }) => {
      waitMs = () => Promise.reject(new Error("no storage"));
      const browser = site.openBrowser();
      for (let call = 0; call < network.burst; call += 1) await callRoute(browser, name);
      const rejected = await callRoute(browser, name);
      expect(rejected).toMatchObject({ status: 429, body: errorForm(name, tooMany) });
      expect((await callRoute(site.openBrowser({ address: "192.0.2.2" }), name)).status).not.toBe(429);
      site.pass(60_000 / network.perMinute);
      expect((await callRoute(browser, name)).status).not.toBe(429);
      expect(await callRoute(browser, name)).toMatchObject({ status: 429 });
    },
  );

  it.each(limits.filter(([, { account }]) => account !== undefined))(
    "%s rejects an account beyond its rate, from any network",
    async (name, { account }) => {
      waitMs = (key) => (key.includes('"account"') ? 1500 : 0);
      const key = JSON.stringify(["accounts", name, "account", person.accountId]);
      expect(await callRoute(person.browser, name)).toMatchObject({ status: 429, body: errorForm(name, tooMany) });
      expect(taken.slice(1)).toEqual([[key, account]]);
    },
  );

  it.each([...limits, ["GET /nowhere", otherRequests] as const])(
    "%s rejects a body that is larger than its bound",
    async (name, { bodyBytes }) => {
      const send = (headers: SiteRequest["headers"]) =>
        callRoute(site.openBrowser({ address: "192.0.2.3" }), name, headers);
      const large = await send({ "Content-Length": String(bodyBytes + 1) });
      expect(large).toMatchObject({ status: 413, body: errorForm(name, tooLarge) });
      expect((await send({ "Content-Length": String(bodyBytes) })).status).not.toBe(413);
    },
  );

  it("a rejection of OAuth can be read by pages of any origin", async () => {
    waitMs = () => 1000;
    const { headers } = await callRoute(site.openBrowser(), "POST /oauth/token", { Origin: "https://app.example" });
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(headers.get("Access-Control-Expose-Headers")).toContain("Retry-After");
    expect(headers.get("Cache-Control")).toBe("no-store");
  });

  const open =
    /^\w+ (?:\/\.well-known\/.*|\/oauth\/(?:jwks|par|device_authorization|token|revoke)|\/register|\/oauth\/unknown)$/;
  const probes = [
    "GET /.well-known/oauth-protected-resource/mcp",
    "POST /register",
    "GET /oauth/unknown",
    "GET /nowhere",
  ];
  it.each([...limits.map(([name]) => name), ...probes])(
    "%s can be called by pages of other origins only if it never looks at cookies",
    async (name) => {
      const { cookies } = person.browser;
      const browser = site.openBrowser({ address: "192.0.2.8", cookies });
      const page = { Origin: "https://app.example", "Sec-Fetch-Site": "cross-site" };
      const [, path = ""] = name.split(" ");
      const sent = ["accept", "authorization", "dpop", "mcp-protocol-version", "mcp-session-id"];
      const asked = { "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": sent.join(",") };
      const preflight = await browser.send(path, { method: "OPTIONS", headers: { ...page, ...asked } });
      const called = await callRoute(browser, name, page);
      const allowed = [preflight, called].map(({ headers }) => headers.get("Access-Control-Allow-Origin"));
      expect(allowed).toEqual(open.test(name) ? ["*", "*"] : [null, null]);
      expect(preflight.status === 204).toBe(open.test(name));
      const accepted = preflight.headers.get("Access-Control-Allow-Headers")?.toLowerCase().split(",") ?? [];
      expect(accepted).toEqual(open.test(name) ? expect.arrayContaining(sent) : []);
      for (const { headers } of [preflight, called])
        expect(headers.has("Access-Control-Allow-Credentials")).toBe(false);
    },
  );

  it("RATE_LIMITS=off switches every rate off", async () => {
    const browser = unlimited.openBrowser();
    for (let call = 0; call <= otherRequests.network.burst; call += 1) {
      expect(await callRoute(browser, "GET /nowhere")).toMatchObject({ status: 404 });
    }
  });
});
