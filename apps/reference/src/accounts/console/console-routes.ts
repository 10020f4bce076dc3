import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { Hono } from "hono";
import { accepts } from "hono/accepts";
import type { AccountsEnvironment } from "../accounts-environment.js";
import { assetFolder, contentTypes } from "../pages/assets.js";
import { requireSession } from "../sessions/require-session.js";

const folder = new URL("console/", assetFolder);

/**
 * Serves the console, a single page, to people who are signed in. The names of its scripts contain a hash, so that browsers keep them.
 * They contain nothing of a person.
 */
export function consoleRoutes(): Hono<AccountsEnvironment> {
  const page = readFileSync(new URL("index.html", folder), "utf8");
  const assets = new URL("assets/", folder);
  const files = new Map(readdirSync(assets).map((name) => [name, gzipSync(readFileSync(new URL(name, assets)))]));
  const routes = new Hono<AccountsEnvironment>();

  routes.get("/console/assets/:name", (context) => {
    const name = context.req.param("name");
    const file = files.get(name);
    const contentType = contentTypes[extname(name)];
    if (file === undefined || contentType === undefined) return context.notFound();
    const wanted = accepts(context, { header: "Accept-Encoding", supports: ["gzip", "identity"], default: "identity" });
    const headers = {
      "Content-Type": contentType,
      "Cache-Control": "public, max-age=31536000, immutable",
      Vary: "Accept-Encoding",
    };
    if (wanted !== "gzip") return context.body(Uint8Array.from(gunzipSync(file)), 200, headers);
    return context.body(Uint8Array.from(file), 200, { ...headers, "Content-Encoding": "gzip" });
  });

  for (const path of ["/console", "/console/*"]) {
    routes.get(path, requireSession(), (context) => {
      context.header("Cache-Control", "no-store");
      return context.html(page);
    });
  }
  return routes;
}
