import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("the sources run in browsers and in Node, on nothing but WebCrypto", () => {
  const sources = ["crypto", "pop"].flatMap((folder) =>
    readdirSync(new URL(`../${folder}/`, import.meta.url))
      .filter((name) => /(?<!\.test)\.ts$/.test(name))
      .map((name) => `${folder}/${name}`),
  );

  it.each(sources)("%s imports nothing but its neighbours, and uses none of Node's globals", (name) => {
    // Examples in docstrings are written as their readers write them: they import the package by its name.
    const source = readFileSync(new URL(`../${name}`, import.meta.url), "utf8").replace(/^ \* .*$/gm, "");
    expect(source).not.toMatch(/from "[^.]|import\("|\b(process|Buffer|require|setImmediate)\b/);
  });
});
