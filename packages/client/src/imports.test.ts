import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const folder = new URL("./", import.meta.url);

/** What is published, by its path; without docstrings, whose examples import the package by its name as their readers do. */
const sources = readdirSync(folder, { encoding: "utf8", recursive: true })
  .filter((path) => /(?<!\.test)\.ts$/.test(path) && !/(^|\/)fixtures\//.test(path))
  .map((path) => ({ path, source: readFileSync(new URL(path, folder), "utf8").replace(/^ *\* .*$/gm, "") }));

const within = (...places: readonly RegExp[]) => sources.filter(({ path }) => places.some((place) => place.test(path)));
const shared = /^(?!index\.ts)[^/]+$|^(call|device|error|options|token|wire)\//;

/** What a source takes of other modules, and is still there at run time. */
const importedBy = (source: string) =>
  [...source.matchAll(/^(?:import|export) (?!type\b)(?:(?!^import|^export)[\s\S])*?from "([^"]+)";$/gm)].map(
    ([, name]) => name,
  );

describe("the sources run wherever the client does", () => {
  it.each(sources)("$path imports nothing of Node, and uses none of its globals", ({ path, source }) => {
    expect(source).not.toMatch(/from "node:|import\("|\b(Buffer|require|setImmediate)\b/);
    // It looks whether there is a process before it reads the environment.
    if (path !== "options/environment.ts") expect(source).not.toMatch(/\bprocess\b/);
  });
});

describe("ARCHITECTURE.md: what both entries share, and json/, need no package at run time", () => {
  it.each(within(shared, /^json\//, /^crypto\//, /^pop\//))("$path imports only its neighbours", ({ source }) => {
    expect(importedBy(source).filter((name) => !name?.startsWith("."))).toEqual([]);
  });

  it.each(within(shared))("$path imports nothing of an entry", ({ source }) => {
    expect(
      importedBy(source).filter((name) => /^\.\.?\/(connect|json|otel|pop|crypto|testing)\//.test(name ?? "")),
    ).toEqual([]);
  });

  it.each(within(/^json\//))("$path imports nothing of connect/", ({ source }) => {
    expect(importedBy(source).filter((name) => name?.startsWith("../connect/"))).toEqual([]);
  });

  it("imports are found, so that the above can fail", () => {
    const found = within(/^connect\/http-transport/).flatMap(({ source }) => importedBy(source));
    expect(found).toEqual(
      expect.arrayContaining(["@bufbuild/protobuf", "@connectrpc/connect", "../error/redactor.js"]),
    );
  });
});
