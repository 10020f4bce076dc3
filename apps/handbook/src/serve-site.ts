import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { securityPolicy } from "./security-policy.ts";
import { base } from "./write-pages.ts";

/** The built site: everything below `base`. */
export const siteFolder = fileURLToPath(new URL("../dist/docs", import.meta.url));

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/** Serves the built site on this machine, as a platform does. Returns its URL, and a function that ends it. */
export async function serveSite(port = 0): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const file = fileOf(pathname);
    const served = file ?? join(siteFolder, notFoundFile(pathname, request.headers.accept));
    const type = mediaTypes[extname(served)] ?? "application/octet-stream";
    // Images except SVG are compressed already.
    const isText = !type.startsWith("image/") || type.endsWith("+xml");
    response.writeHead(file === undefined ? 404 : 200, {
      "Content-Type": type,
      ...(isText && { "Content-Encoding": "gzip" }),
      "Content-Security-Policy": securityPolicy,
      "Cache-Control": pathname.startsWith(`${base}assets/`) ? "public, max-age=31536000, immutable" : "no-cache",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    });
    const content = readFileSync(served);
    response.end(isText ? gzipSync(content) : content);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actual}${base}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns the file that says that a path has no page: HTML for browsers, otherwise plain text. */
function notFoundFile(pathname: string, accept = ""): string {
  return accept.includes("text/html") && !/\.(?:md|txt)$/.test(pathname) ? "404.html" : "404.txt";
}

/** Returns the file of a path: that of the page `errors/INTERNAL` is errors/INTERNAL.html. */
export function fileOf(pathname: string): string | undefined {
  if (!pathname.startsWith(base)) return undefined;
  const path = join(siteFolder, normalize(decodeURIComponent(pathname.slice(base.length - 1))));
  return [path, `${path}.html`, join(path, "index.html")].find((file) => existsSync(file) && statSync(file).isFile());
}
