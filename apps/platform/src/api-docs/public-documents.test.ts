import { createHash } from "node:crypto";
import { get } from "node:http";
import { publicContract } from "@platform-rpc/server";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import openapi from "../gen/openapi.json" with { type: "json" };
import { startTestApp } from "../testing/start-test-app.js";
import { createApiDocuments } from "./public-documents.js";

const day = 24 * 60 * 60 * 1000;
const publicUrl = "https://api.example/base";
const contact = "mailto:security@example.com";
const summary = z.object({ name: z.string(), description: z.string(), links: z.record(z.string(), z.string()) });
const app = await startTestApp({ PUBLIC_URL: publicUrl, SECURITY_CONTACT: contact });
afterAll(() => app.end());

const html = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("the page at the root of the public listener", () => {
  it.each(["/", "/base", "/base/"])("%s returns HTML whose links work, also under the base path", async (path) => {
    const response = await fetch(new URL(path, app.publicUrl), { headers: html });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const page = await response.text();
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link = ""]) => link);
    const own = links.filter((link) => link.startsWith("/"));
    expect(own).toEqual(["/base/docs", "/base/openapi.json", "/base/readyz"]);
    for (const link of own) expect((await fetch(new URL(link, app.publicUrl))).status).toBe(200);
    expect(links.filter((link) => !link.startsWith("/"))).toEqual([expect.stringMatching(/^https:\/\/.*#readme$/)]);
  });

  it("allows its own style and no other resource", async () => {
    const response = await fetch(new URL("/", app.publicUrl), { headers: html });
    const page = await response.text();
    const [, style = ""] = /<style>(.*)<\/style>/s.exec(page) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(response.headers.get("content-security-policy")?.split("; ")).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(page).not.toMatch(/<script|style="|onclick/);
  });

  it.each(["/", "/base", "/base/"])(
    "%s returns JSON to programs: what the API is, and links that work",
    async (path) => {
      for (const Accept of ["*/*", "application/json", "text/html;q=0, */*"]) {
        const response = await fetch(new URL(path, app.publicUrl), { headers: { Accept } });
        expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
        expect(response.headers.get("vary")).toBe("Accept");
        const { name, description, links } = summary.parse(await response.json());
        expect(name).toBe("Platform API");
        expect(description).toMatch(/^A zero-knowledge .* served over Connect\.$/);
        expect(links).toEqual({
          documentation: `${publicUrl}/docs`,
          documentationIndex: `${publicUrl}/docs/llms.txt`,
          documentationFull: `${publicUrl}/docs/llms-full.txt`,
          openapi: `${publicUrl}/openapi.json`,
          jwks: `${publicUrl}/.well-known/jwks.json`,
          securityContact: `${publicUrl}/.well-known/security.txt`,
          health: `${publicUrl}/readyz`,
        });
        for (const link of Object.values(links)) {
          expect((await fetch(new URL(link.slice(publicUrl.length), app.publicUrl))).status, link).toBe(200);
        }
      }
    },
  );

  it("names the documents of OAuth where there is an authorization server", async () => {
    const withAccounts = await startTestApp({ ACCOUNTS_TENANT: "t-1" });
    const response = await fetch(withAccounts.publicUrl);
    const { links } = summary.parse(await response.json());
    const { authorizationServer = "", protectedResource = "" } = links;
    const metadata = z.object({ authorization_servers: z.tuple([z.string()]) });
    const [issuer] = metadata.parse(await (await fetch(protectedResource)).json()).authorization_servers;
    expect(authorizationServer).toBe(`${issuer}/.well-known/oauth-authorization-server`);
    expect(await (await fetch(authorizationServer)).json()).toMatchObject({ issuer });
    expect(links).not.toHaveProperty("securityContact");
    expect((await fetch(`${withAccounts.publicUrl}/.well-known/security.txt`)).status).toBe(404);
    await withAccounts.end();
  });

  it("answers HEAD without a body, and other verbs with OPERATION_UNKNOWN", async () => {
    const head = await fetch(app.publicUrl, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([200, "application/json", ""]);
    for (const method of ["POST", "PUT", "DELETE"]) {
      const response = await fetch(app.publicUrl, { method });
      expect([response.status, await response.json()]).toEqual([
        404,
        expect.objectContaining({ code: "unimplemented" }),
      ]);
    }
  });

  it("is another one on the internal listener: it names readiness, metrics and the documentation", async () => {
    const response = await fetch(app.internalUrl, { headers: html });
    expect(response.status).toBe(200);
    const { readiness, metrics, documentation } = await response.json();
    expect(documentation).toBe("https://api.example/base/docs");
    for (const path of [readiness, metrics]) expect((await fetch(new URL(path, app.internalUrl))).status).toBe(200);
  });
});

describe("RFC 9116: /.well-known/security.txt", () => {
  it("contains the contact from the settings, its own URL, and an expiry within a year", async () => {
    const response = await fetch(new URL("/.well-known/security.txt", app.publicUrl));
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const lines = (await response.text()).trimEnd().split("\n");
    const fields = new Map(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
    expect([...fields.keys()]).toEqual(["Contact", "Expires", "Preferred-Languages", "Canonical"]);
    expect(fields.get("Contact")).toBe(contact);
    expect(fields.get("Canonical")).toBe("https://api.example/.well-known/security.txt");
    const validFor = Date.parse(fields.get("Expires") ?? "") - Date.now();
    expect(validFor).toBeGreaterThan(100 * day);
    expect(validFor).toBeLessThan(365 * day);
  });
});

describe("the internal listener accepts only its own hosts, against DNS rebinding", () => {
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get(`${app.internalUrl}/readyz`, { headers: { Host: host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on("error", reject);
    });

  it.each([
    ["localhost", 200],
    ["attacker.example", 404],
  ])("%s gets %d", async (host, status) => {
    expect(await statusFor(host)).toBe(status);
  });
});

describe("/openapi.json", () => {
  it.each(["/base/openapi.json", "/openapi.json"])(
    "%s returns the document with the URL of this server",
    async (path) => {
      const response = await fetch(new URL(path, app.publicUrl));
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(await response.json()).toEqual({ ...openapi, servers: [{ url: publicUrl }] });
    },
  );

  it("is not served by the internal listener", async () => {
    for (const path of ["/openapi.json", "/docs"]) expect((await fetch(app.internalUrl + path)).status).toBe(404);
  });
});

describe("platform.v2 next to platform.v1", () => {
  it("has its own OpenAPI document", async () => {
    const both = new Map([
      ["/openapi.json", { info: { version: "1" } }],
      ["/openapi.v2.json", { info: { version: "2" } }],
    ]);
    const entry = createApiDocuments(publicUrl, both).get("/openapi.v2.json");
    const document = typeof entry === "function" ? entry({ verb: "GET", path: "", headers: {} }) : entry;
    expect(JSON.parse(`${document?.body}`)).toEqual({ info: { version: "2" }, servers: [{ url: publicUrl }] });
  });
});

describe("/docs", () => {
  const browser = "text/html,application/xhtml+xml,*/*;q=0.8";

  it.each([
    ["/docs/errors/NO_SUCH_REASON", browser, "text/html; charset=utf-8", "Page not found"],
    ["/docs/nowhere", "*/*", "text/plain; charset=utf-8", "Page not found"],
  ])("%s is 404 for a caller that accepts %s, as %s", async (path, Accept, type, content) => {
    for (const base of ["", "/base"]) {
      const response = await fetch(new URL(base + path, app.publicUrl), { headers: { Accept } });
      expect([response.status, response.headers.get("content-type")]).toEqual([404, type]);
      expect(response.headers.get("vary")?.split(", ")).toContain("Accept");
      expect(await response.text()).toContain(content);
    }
  });

  it("has a page for every reason of the public operations", async () => {
    for (const reason of publicContract.reasons.keys()) {
      expect((await fetch(`${app.publicUrl}/docs/errors/${reason}`)).status).toBe(200);
    }
  });
});
