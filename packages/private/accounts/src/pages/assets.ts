import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { type Context, Hono } from "hono";
import { accepts } from "hono/accepts";

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The content codings of the compressed files of the build, by their extensions. The first has the smallest files. */
const codings = { br: ".br", gzip: ".gz" } as const;

/** What the build names by a hash of its content, which never changes. Names without one are in lower case. */
const hashed = /-(?=[\w-]*[A-Z0-9])[\w-]{8}\.(?:css|js|svg)$/;

/** The largest part of an asset that is passed to a connection at once, in bytes. */
const pieceBytes = 64 * 1024;

/** A file of the build. All responses share its bytes. */
interface Asset {
  readonly contentType: string;
  readonly version: string;
  /** By content coding; `identity` is the file itself. */
  readonly forms: ReadonlyMap<string, Uint8Array>;
}

/** Serves the scripts, the styles and the icon of the pages. A browser revalidates those whose content can change. */
export function assetRoutes({ assets }: { readonly assets: URL }): Hono {
  const serve = createAssetHandler(assets);
  const routes = new Hono();
  routes.get("/assets/:name", (context) => serve(context, context.req.param("name")));
  return routes;
}

/**
 * Reads the assets of a folder once, and returns a function that responds with one of them, compressed as the caller accepts it, or
 * with 304 if the caller has it (RFC 9110 sections 12.5.3 and 13.1.2).
 */
export function createAssetHandler(folder: URL) {
  const assets = readAssets(folder);
  return (context: Context, name: string): Response | Promise<Response> => {
    const asset = assets.get(name);
    if (asset === undefined) return context.notFound();
    const { contentType, version, forms } = asset;
    const isNamed = hashed.test(name) || new URL(context.req.url).search === `?${version}`;
    const cacheControl = isNamed ? "public, max-age=31536000, immutable" : "no-cache";
    // Weak, because the bytes of the codings differ.
    const etag = `W/"${version}"`;
    const common = { ETag: etag, "Cache-Control": cacheControl, Vary: "Accept-Encoding" };
    const known = context.req
      .header("If-None-Match")
      ?.split(",")
      .map((tag) => tag.trim().replace(/^W\//, ""));
    if (known?.some((tag) => tag === "*" || `W/${tag}` === etag)) return context.body(null, 304, common);
    const coding = codingFor(context, [...forms.keys()]);
    const bytes = forms.get(coding) ?? new Uint8Array();
    return context.body(inPieces(bytes), 200, {
      ...common,
      "Content-Type": contentType,
      "Content-Length": String(bytes.length),
      ...(coding !== "identity" && { "Content-Encoding": coding }),
    });
  };
}

/** Returns the coding that the caller weights highest. Among equal ones, it is the first, which has the smallest files. */
function codingFor(context: Context, supports: string[]): string {
  return accepts(context, {
    header: "Accept-Encoding",
    supports,
    default: "identity",
    match(accepted, { default: none }) {
      const weightOf = (coding: string) => accepted.find(({ type }) => type === coding)?.q ?? 0;
      const [best = none] = supports.toSorted((one, other) => weightOf(other) - weightOf(one));
      return weightOf(best) > 0 ? best : none;
    },
  });
}

/** Returns what names a content, whatever its coding. As the query of its address, it lets browsers keep the asset without asking again. */
export function versionOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, 22);
}

function readAssets(folder: URL): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const name of readdirSync(folder)) {
    const contentType = contentTypes[extname(name)];
    if (contentType === undefined) continue;
    const content = readFileSync(new URL(name, folder));
    const forms = new Map<string, Uint8Array>();
    for (const [coding, extension] of Object.entries(codings)) {
      const compressed = new URL(name + extension, folder);
      if (existsSync(compressed)) forms.set(coding, readFileSync(compressed));
    }
    assets.set(name, { contentType, version: versionOf(content), forms: forms.set("identity", content) });
  }
  return assets;
}

/** Returns a stream of views of the bytes: a Response would copy them, and a slow caller would retain the copy. */
function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream(
    {
      pull(controller) {
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + pieceBytes));
        else controller.close();
        at += pieceBytes;
      },
    },
    { highWaterMark: 0 },
  );
}
