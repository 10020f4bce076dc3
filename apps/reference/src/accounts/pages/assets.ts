import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { Hono } from "hono";
import { etag } from "hono/etag";
import type { AccountsEnvironment } from "../accounts-environment.js";

/** The content types of assets, by extension. */
export const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The folder of the built scripts and styles. Tests import this module from its source, and use the build, too. */
export const assetFolder = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/assets/" : "./assets/",
  import.meta.url,
);

/** Serves the scripts, the styles and the icon of the pages. They are read once. A browser revalidates them by their ETag. */
export function assetRoutes(): Hono<AccountsEnvironment> {
  const files = new Map(
    readdirSync(assetFolder)
      .filter((name) => contentTypes[extname(name)] !== undefined)
      .map((name) => [name, readFileSync(new URL(name, assetFolder))]),
  );
  const routes = new Hono<AccountsEnvironment>();
  routes.get("/assets/:name", etag(), (context) => {
    const name = context.req.param("name");
    const file = files.get(name);
    const contentType = contentTypes[extname(name)];
    if (file === undefined || contentType === undefined) return context.notFound();
    return context.body(Uint8Array.from(file), 200, { "Content-Type": contentType, "Cache-Control": "no-cache" });
  });
  return routes;
}
