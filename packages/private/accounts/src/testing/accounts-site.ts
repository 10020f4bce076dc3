import "@platform-rpc/testbed/local-names";
import type { HttpBindings } from "@hono/node-server";
import { bind } from "@platform-rpc/front/bound-socket";
import type { Call, Operations } from "@platform-rpc/server";
import { createGuessLimiter, createRateLimiter, type PutWith } from "@platform-rpc/server/host";
import { onTestFinished } from "vitest";
import { createAccountsApp, createAccountsListener } from "../accounts-listener.js";
import type { OAuthParts } from "../oauth/oauth-parts.js";
import { inMemoryPlatform } from "./in-memory-platform.js";
import { openSiteBrowser } from "./site-browser.js";

export const siteOrigin = "http://accounts.localhost:8082";

/** Other parts of the site, and the URL of the MCP server. Default: there is none. */
export type SiteChanges = Partial<OAuthParts> & { readonly mcpUrl?: string };

/** The accounts site on a platform in memory, with a clock that the test advances. The test must close it. */
export async function createAccountsSite({ mcpUrl, ...changes }: SiteChanges = {}) {
  const platform = await inMemoryPlatform();
  const { clock, own } = platform;
  const events: { readonly subject: string; readonly event: string; readonly by: string }[] = [];
  const record = ({ events: happened = [] }: PutWith, { actor }: Call) =>
    events.push(...happened.map((event) => ({ ...event, by: actor.principalId })));
  let failure: { readonly error: Error; readonly only: keyof Operations | undefined } | undefined;
  const unlessBroken = (operations: Operations): Operations =>
    new Proxy(operations, {
      get(target, name, receiver) {
        const { error, only = name } = failure ?? {};
        return error !== undefined && only === name ? () => Promise.reject(error) : Reflect.get(target, name, receiver);
      },
    });
  const parts: OAuthParts = {
    tenantId: "acme",
    origin: siteOrigin,
    issuer: siteOrigin,
    platform,
    operations: platform.operations,
    own: {
      ...own,
      async putRecord(input, call) {
        const outcome = await own.putRecord(input, call);
        if (outcome.ok) record(input, call);
        return outcome;
      },
      async putRecords(input, call) {
        const outcome = await own.putRecords(input, call);
        if (outcome.ok) record(input, call);
        return outcome;
      },
    },
    rateLimiter: createRateLimiter({ clock }),
    guesses: createGuessLimiter({ clock }),
    signUp: true,
    addressHeader: "X-Real-IP",
    audience: "https://api.example",
    brokerAudience: "https://broker.example",
    apiUrl: "https://api.example",
    // Built with the app.
    assets: new URL("../../../../../apps/platform/dist/assets/", import.meta.url),
    brokers: new Map(),
    mcp: mcpUrl === undefined ? undefined : { ...platform.createResource(mcpUrl), url: mcpUrl },
    clientIdMetadata: false,
    clock,
    logger: { info() {}, error() {} },
    readiness: () => ({ status: 200, contentType: "text/plain", body: new Uint8Array() }),
    ...changes,
  };
  const site = { ...parts, operations: unlessBroken(parts.operations), own: unlessBroken(parts.own) };
  const app = createAccountsApp(site);

  /** Opens a browser, by default without cookies. */
  const openBrowser = ({ address = "192.0.2.1", servedBy = app, cookies = new Map<string, string>() } = {}) => {
    const send = (url: string, { headers, ...init }: RequestInit) => {
      const sent = new Headers(headers);
      if (!sent.has("X-Real-IP")) sent.set("X-Real-IP", address);
      return servedBy.request(url, { ...init, headers: sent }, {} satisfies Partial<HttpBindings>);
    };
    return openSiteBrowser(siteOrigin, send, cookies);
  };
  return {
    ...platform,
    events,
    openBrowser,
    /** Starts another process of the site, which shares the storage. */
    startProcess: () => createAccountsApp(site),
    /** The registered routes and middleware. */
    routes: app.routes,
    /** Makes every later call of operations fail, or only those of one operation. */
    breakStorage(error: Error, only?: keyof Operations) {
      failure = { error, only };
    },
    repairStorage() {
      failure = undefined;
    },
    /** Serves the site to real browsers, on a free port. Resolves with its origin. The test must close it. */
    async listen() {
      const members = { handle() {}, close: async () => {} };
      const socket = await bind({ port: 0, host: "127.0.0.1", backlog: 511, connections: 100 });
      const origin = `http://accounts.localhost:${socket.address.port}`;
      const { serve, close } = createAccountsListener({ site: { ...site, origin, issuer: origin }, members });
      await serve(socket);
      return { origin, close };
    },
  };
}

/** Opens the accounts site. It closes with the test. */
export async function openSite(changes: SiteChanges = {}) {
  const site = await createAccountsSite(changes);
  onTestFinished(site.close);
  return site;
}

export type AccountsSite = Awaited<ReturnType<typeof createAccountsSite>>;
