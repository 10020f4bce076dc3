import { readFileSync } from "node:fs";
import { Hono } from "hono";
import type { AccountsEnvironment } from "../accounts-environment.js";
import { assetFolder, createAssetHandler } from "../pages/assets.js";
import { requireSession } from "../sessions/require-session.js";

const folder = new URL("console/", assetFolder);

/**
 * Serves the console, a single page, to people who are signed in. The names of its scripts contain a hash, so that browsers keep them.
 * They contain nothing of a person.
 */
export function consoleRoutes(): Hono<AccountsEnvironment> {
  const page = readFileSync(new URL("index.html", folder), "utf8");
  const serve = createAssetHandler(new URL("assets/", folder), "public, max-age=31536000, immutable");
  const routes = new Hono<AccountsEnvironment>();
  routes.get("/console/assets/:name", (context) => serve(context, context.req.param("name")));
  for (const path of ["/console", "/console/*"]) {
    routes.get(path, requireSession(), (context) => {
      context.header("Cache-Control", "no-store");
      return context.html(page);
    });
  }
  return routes;
}
