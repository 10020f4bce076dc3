import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../testing/temporary-folder.js";
import type { AppDocument } from "./app-document.js";
import { createSiteDocuments } from "./site-documents.js";

/** A site as it is built: a page at its root, a page in a folder, a file that they load, and one that nobody may read. */
async function builtSite() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "errors"));
  await mkdir(join(folder, "assets"));
  for (const file of [
    "index.html",
    "errors.html",
    "errors/ITEM_NOT_FOUND.html",
    "errors.md",
    "assets/a.1f.js",
    "x.map",
    "404.html",
    "404.txt",
  ]) {
    await writeFile(join(folder, file), file);
  }
  return folder;
}

/** Reads a path, as the listener does: for a path without a document, the one of its folder. */
function read(documents: ReadonlyMap<string, AppDocument>, path: string, accept = "*/*") {
  const document = documents.get(path) ?? documents.get("/docs/*");
  return typeof document === "function" ? document({ verb: "GET", path, headers: { accept } }) : document;
}

describe("the documentation site of an installation", () => {
  it.each([
    ["/docs", "index.html", "text/html"],
    ["/docs/", "index.html", "text/html"],
    ["/docs/errors", "errors.html", "text/html"],
    ["/docs/errors/", "errors.html", "text/html"],
    ["/docs/errors/ITEM_NOT_FOUND", "errors/ITEM_NOT_FOUND.html", "text/html"],
    ["/docs/errors.md", "errors.md", "text/markdown"],
    ["/docs/assets/a.1f.js", "assets/a.1f.js", "text/javascript"],
  ])("%s is the file %s", async (path, file, type) => {
    const document = read(createSiteDocuments({ folder: await builtSite(), docsUrl: undefined, basePath: "" }), path);
    expect(document?.body.toString()).toBe(file);
    expect(document?.contentType).toMatch(new RegExp(`^${type}(?:;|$)`));
  });

  it("a page may load nothing from other servers, and has no inline script; a file whose name has a hash is kept", async () => {
    const documents = createSiteDocuments({ folder: await builtSite(), docsUrl: undefined, basePath: "" });
    expect(read(documents, "/docs")?.headers).toEqual({
      "Content-Security-Policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "Referrer-Policy": "no-referrer",
    });
    expect(read(documents, "/docs/assets/a.1f.js")?.cacheControl).toContain("immutable");
    expect(read(documents, "/docs")?.cacheControl).toBe("public, max-age=300");
  });

  it("with DOCS_URL, every path redirects to the same page there", async () => {
    const documents = createSiteDocuments({
      folder: await builtSite(),
      docsUrl: "https://docs.example.com/v1",
      basePath: "/base",
    });
    expect(read(documents, "/docs/errors/ITEM_NOT_FOUND")).toMatchObject({
      status: 307,
      headers: { Location: "https://docs.example.com/v1/errors/ITEM_NOT_FOUND" },
    });
    expect(read(documents, "/docs/")?.headers).toEqual({ Location: "https://docs.example.com/v1/" });
    expect(read(documents, "/base/docs")?.headers).toEqual({ Location: "https://docs.example.com/v1" });
    for (const path of ["/docs/only/there", "/base/docs/only/there"]) {
      const { headers } = read(documents, path) ?? {};
      expect(headers).toEqual({ Location: "https://docs.example.com/v1/only/there" });
    }
  });

  it.each([
    ["text/html,*/*;q=0.8", "/docs/nowhere", "404.html"],
    ["text/html", "/docs/nowhere.md", "404.txt"],
    ["text/html;q=0, text/plain", "/docs/nowhere", "404.txt"],
    ["*/*", "/docs/nowhere", "404.txt"],
    ["", "/docs/assets/old.js", "404.txt"],
  ])("a caller that accepts %j gets for %s the file %s, with status 404", async (accept, path, file) => {
    const documents = createSiteDocuments({ folder: await builtSite(), docsUrl: undefined, basePath: "" });
    const document = read(documents, path, accept);
    expect([document?.status, document?.body.toString(), document?.cacheControl]).toEqual([404, file, "no-store"]);
    for (const own of ["/docs/404", "/docs/404/", "/docs/404.txt"]) expect(read(documents, own)?.status).toBe(404);
  });

  it("files of other types are not served, and without a build, nothing is", async () => {
    const documents = createSiteDocuments({ folder: await builtSite(), docsUrl: undefined, basePath: "" });
    expect(read(documents, "/docs/x.map")?.status).toBe(404);
    expect(createSiteDocuments({ folder: undefined, docsUrl: undefined, basePath: "" }).size).toBe(0);
  });
});
