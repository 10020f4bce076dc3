import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Document } from "@platform-rpc/server";
import type { DocumentRequest } from "@platform-rpc/server/host";
import { type AppDocument, acceptsHtml, isRead } from "./app-document.js";

/** The path of the documentation, which the client appends to the URL of the API. */
const sitePath = "/docs";

/**
 * The folder of the built site: next to the program in an image, otherwise in the workspace. The build of the app does not wait for it,
 * because it takes longer than everything else. Tests import this module from its source.
 */
export const siteFolder = [
  "./docs/",
  import.meta.url.endsWith(".ts") ? "../../../handbook/dist/docs/" : "../../handbook/dist/docs/",
]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
};

/** Allows what the files of the site contain, and nothing of other servers. The tests of apps/handbook show the pages under it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export interface SiteOptions {
  /** The folder of the built site. Undefined: there is none, and nothing is served. */
  readonly folder: string | undefined;
  /** The URL of another site with the same pages, without a slash at its end. Undefined: the pages are served. */
  readonly docsUrl: string | undefined;
  /** The prefix that the path of a request may have; empty without a base path. */
  readonly basePath: string;
}

/**
 * Creates the documents of the site: the pages, whose paths have no `.html`, what they load, and the answer for all other paths. The
 * first request lists the files, which are thousands, so that the start does not; the first request for a file reads it. With `docsUrl`,
 * every path redirects there, so that the URL in an error leads to its page in each installation.
 */
export function createSiteDocuments({ folder, docsUrl, basePath }: SiteOptions): ReadonlyMap<string, AppDocument> {
  if (folder === undefined) return new Map();
  const answer = docsUrl === undefined ? answerFrom(folder) : (path: string) => redirection(docsUrl + path);
  const document = (request: DocumentRequest) => answer(pathBelowSite(request.path, basePath), request);
  return new Map([sitePath, `${sitePath}/*`].map((path) => [path, document]));
}

/** Returns the path below that of the site. That of a request may have the prefix. */
function pathBelowSite(path: string, basePath: string): string {
  const prefixed = basePath + sitePath;
  const prefix = path === prefixed || path.startsWith(`${prefixed}/`) ? prefixed : sitePath;
  return path.slice(prefix.length);
}

function answerFrom(folder: string): (path: string, request: DocumentRequest) => Document {
  let files: ReadonlyMap<string, () => Document> | undefined;
  const notFound = notFoundDocument(folder);
  return (path, request) => {
    files ??= filesOf(folder);
    return files.get(path)?.() ?? notFound(request);
  };
}

/** Lists the files of a folder, by their paths below that of the site. */
function filesOf(folder: string): ReadonlyMap<string, () => Document> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((file) => {
    const contentType = contentTypes[extname(file)];
    if (contentType === undefined || file.startsWith("404.")) return [];
    const read = fileDocument(join(folder, file), contentType);
    return pathsOf(file).map((path) => [path, read] as const);
  });
  return new Map(files);
}

/** Returns the paths of a file below that of the site. Links name a page with or without a slash at its end. */
function pathsOf(file: string): readonly string[] {
  if (extname(file) !== ".html") return [`/${file}`];
  const page = `/${file}`.replace(/(?:\/index)?\.html$/, "");
  return [page, `${page}/`];
}

/** Returns a function that reads a file once. The names of the files in `assets` change with their contents. */
function fileDocument(path: string, contentType: string, rest: Partial<Document> = {}): () => Document {
  const cacheControl = path.includes("/assets/") ? "public, max-age=31536000, immutable" : "public, max-age=300";
  const isPage = contentType.startsWith("text/html");
  const headers = isPage ? { "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer" } : {};
  let document: Document | undefined;
  return () => {
    document ??= { status: 200, contentType, body: readFileSync(path), cacheControl, headers, ...rest };
    return document;
  };
}

/**
 * Returns the function that answers for a path without a file: a page for browsers, otherwise plain text. A request for a text file never
 * gets the page. All verbs but GET and HEAD get OPERATION_UNKNOWN, because the page is only for readers that accept HTML.
 */
function notFoundDocument(folder: string): (request: DocumentRequest) => Document {
  const notFound = { status: 404, cacheControl: "no-store" };
  const page = fileDocument(join(folder, "404.html"), "text/html; charset=utf-8", {
    ...notFound,
    onlyIfAccepted: true,
  });
  const text = fileDocument(join(folder, "404.txt"), "text/plain; charset=utf-8", {
    ...notFound,
    headers: { Vary: "Accept" },
  });
  return (request) => {
    const wantsText = !acceptsHtml(request) || /\.(?:md|txt)$/.test(request.path);
    return isRead(request) && wantsText ? text() : page();
  };
}

export function redirection(location: string): Document {
  return { status: 307, contentType: "text/plain; charset=utf-8", body: "", headers: { Location: location } };
}
