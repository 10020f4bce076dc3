import type { Rate } from "@platform-rpc/server";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { otherRequests, type RouteLimits, routeLimits } from "../route-limits.js";
import { createAccountsSite, type SiteBrowser, type SiteRequest } from "../testing/accounts-site.js";
import { signUpPerson } from "../testing/person.js";
import { checkRouteLimits, routeNames } from "./limit-routes.js";

const limits: readonly (readonly [name: string, RouteLimits])[] = Object.entries(routeLimits);
const brokers = new Map([["broker", { keys: [] }]]);

async function newSite(changes: Parameters<typeof createAccountsSite>[0] = {}) {
  const site = await createAccountsSite({ brokers, ...changes });
  onTestFinished(site.close);
  return site;
}

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
  if (path.startsWith("/oauth/") || path.startsWith("/.well-known/")) {
    return { error: oauth, error_description: expect.stringContaining(text) };
  }
  return expect.stringContaining(text);
}

const tooMany = { oauth: "temporarily_unavailable", reason: "RATE_LIMITED", text: "Too many requests" };
const tooLarge = { oauth: "invalid_request", reason: "REQUEST_TOO_LARGE", text: "The body is too large" };
const unannounced = { oauth: "invalid_request", reason: "LENGTH_REQUIRED", text: "The size of the body is unknown" };

describe("DECISIONS section 9: every route of the accounts origin has a rate and a bound for its body", () => {
  it("the table lists exactly the routes that are registered", async () => {
    const { routes } = await newSite();
    expect([...routeNames(routes)].sort()).toEqual(Object.keys(routeLimits).sort());
  });

  it("an app with a route that is not in the table is not created", () => {
    const { routes } = new Hono().get("/sign-in").post("/account/api/new", (context) => context.body(null));
    expect(() => checkRouteLimits(routes)).toThrow("have no limits: POST /account/api/new. Add the rate");
  });

  it.each(limits.filter(([, { withoutStorage }]) => !withoutStorage))(
    "%s rejects a network beyond its rate, before it does any work",
    async (name, { network }) => {
      const taken: [string, Rate][] = [];
      const rateLimiter = {
        take(key: string, rate: Rate) {
          taken.push([key, rate]);
          return 1500;
        },
      };
      const site = await newSite({ rateLimiter });
      site.breakStorage(new TypeError("The storage was asked."));
      const { status, headers, body } = await callRoute(site.openBrowser({ address: "::ffff:192.0.2.7" }), name);
      expect([status, headers.get("Retry-After")]).toEqual([429, "2"]);
      expect(body).toEqual(errorForm(name, tooMany));
      expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect(taken).toEqual([[JSON.stringify(["accounts", name, "network", "192.0.2.7"]), network]]);
    },
  );

  it.each([...limits.filter(([, { withoutStorage }]) => withoutStorage), ["GET /nowhere", otherRequests] as const])(
    "%s rejects a network beyond its rate, and no other network, also when the rates of the storage cannot be read",
    async (name, { network }) => {
      const site = await newSite({ rateLimiter: { take: () => Promise.reject(new Error("no storage")) } });
      const browser = site.openBrowser();
      for (let call = 0; call < network.burst; call += 1) expect((await callRoute(browser, name)).status).not.toBe(429);
      const rejected = await callRoute(browser, name);
      expect(rejected).toMatchObject({ status: 429, body: errorForm(name, tooMany) });
      expect((await callRoute(site.openBrowser({ address: "192.0.2.2" }), name)).status).not.toBe(429);
      site.pass(60_000);
      expect((await callRoute(browser, name)).status).not.toBe(429);
    },
  );

  it.each(limits.filter(([, { account }]) => account !== undefined))(
    "%s rejects an account beyond its rate, from any network and in any session",
    async (name, { account }) => {
      const taken: (Rate | undefined)[] = [];
      const keys = new Set<string>();
      const rateLimiter = {
        take(key: string, rate: Rate) {
          if (!key.includes('"account"')) return 0;
          keys.add(key);
          taken.push(rate);
          return 1500;
        },
      };
      const site = await newSite({ rateLimiter });
      const person = await signUpPerson(site);
      const elsewhere = site.openBrowser({ address: "198.51.100.1" });
      await person.signIn(elsewhere);
      for (const browser of [person.browser, elsewhere]) {
        expect(await callRoute(browser, name)).toMatchObject({ status: 429, body: errorForm(name, tooMany) });
      }
      expect(taken).toEqual([account, account]);
      expect(keys.size).toBe(1);
    },
  );

  it.each([...limits, ["GET /nowhere", otherRequests] as const])(
    "%s rejects a body that is larger than its bound, and one of unknown size",
    async (name, { bodyBytes }) => {
      const site = await newSite({ rateLimiter: undefined });
      const send = (headers: SiteRequest["headers"]) => callRoute(site.openBrowser(), name, headers);
      const large = await send({ "Content-Length": String(bodyBytes + 1) });
      expect(large).toMatchObject({ status: 413, body: errorForm(name, tooLarge) });
      expect((await send({ "Content-Length": String(bodyBytes) })).status).not.toBe(413);
      // The endpoints of OAuth count the bytes while they read them.
      if (name.includes(" /oauth/")) return;
      expect(await send({ "Transfer-Encoding": "chunked" })).toMatchObject({
        status: 411,
        body: errorForm(name, unannounced),
      });
    },
  );

  it("a rejection of OAuth can be read by pages of any origin", async () => {
    const site = await newSite({ rateLimiter: { take: () => 1000 } });
    const { headers } = await callRoute(site.openBrowser(), "POST /oauth/token", { Origin: "https://app.example" });
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(headers.get("Access-Control-Expose-Headers")).toContain("Retry-After");
    expect(headers.get("Cache-Control")).toBe("no-store");
  });

  it("RATE_LIMITS=off switches every rate off", async () => {
    const site = await newSite({ rateLimiter: undefined });
    const browser = site.openBrowser();
    for (let call = 0; call <= otherRequests.network.burst; call += 1) {
      expect(await callRoute(browser, "GET /nowhere")).toMatchObject({ status: 404 });
    }
  });
});
