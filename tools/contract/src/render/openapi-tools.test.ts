import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import { createConfig, lint } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import openapiTypescript, { astToString } from "openapi-typescript";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";
import { workspaceRoot } from "../testing/contract-copy.ts";
import { renderDocuments } from "./documents.ts";
import { everyType } from "./testing/every-type.ts";

const path = "apps/platform/src/gen/openapi.json";
const folder = mkdtempSync(join(tmpdir(), "openapi-tools-"));
afterAll(() => rmSync(folder, { recursive: true }));

const documents = [
  ["contract", readFileSync(join(workspaceRoot, path), "utf8")],
  ["every-type", renderDocuments(everyType()).get(path) ?? ""],
] as const;
for (const [name, text] of documents) writeFileSync(join(folder, `${name}.json`), text);

/** How a program uses the generated types: the last line must not compile. */
const usage = {
  "openapi-typescript": `
    import type { paths } from "./contract-types.js";
    type Post = paths["/platform.v1.VaultService/DeleteItem"]["post"];
    type Body = Post["requestBody"]["content"]["application/json"];
    export const body: Body = { vaultId: "v", itemId: "i", baseVersion: 1 };
    export const sequenceOf = (item: Post["responses"][200]["content"]["application/json"]): number => item.cursor.sequence;
    // @ts-expect-error
    export const wrong: Body = { vaultId: 1, itemId: "i", baseVersion: 1 };`,
  "hey-api": `
    import { type Options, platformV1VaultServiceDeleteItem as deleteItem } from "./contract-client/index.js";
    const headers = { "Connect-Protocol-Version": "1" } as const;
    export const sequence = async (): Promise<number | undefined> =>
      (await deleteItem({ headers, body: { vaultId: "v", itemId: "i", baseVersion: 1 } })).data?.cursor.sequence;
    export type Any = Options;
    // @ts-expect-error
    export const wrong = () => deleteItem({ headers, body: { vaultId: 1, itemId: "i", baseVersion: 1 } });`,
};

function typeErrors(files: readonly string[]): readonly string[] {
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start }) => {
    const line = file?.getLineAndCharacterOfPosition(start ?? 0).line;
    return `${file?.fileName}:${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

describe.each(documents)("third-party tools accept the OpenAPI document: %s", (name, text) => {
  const file = join(folder, `${name}.json`);

  it("Redocly's recommended rules report no error", async () => {
    const problems = await lint({ ref: file, config: await createConfig({ extends: ["recommended"] }) });
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("spectral:oas reports no error", async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset(new spectral.Ruleset({ extends: [[rulesets.oas, "all"]] }));
    const results = await linter.run(JSON.parse(text));
    expect(results.filter(({ severity }) => severity === 0)).toEqual([]);
  });

  it("openapi-typescript and @hey-api/openapi-ts generate code from it", { timeout: 30_000 }, async () => {
    // Not a declaration file, so that the compiler checks it.
    writeFileSync(join(folder, `${name}-types.ts`), astToString(await openapiTypescript(JSON.parse(text))));
    const output = join(folder, `${name}-client`);
    const plugins = ["@hey-api/client-fetch", "@hey-api/sdk"] as const;
    await createClient({ input: file, output, logs: { level: "silent" }, plugins: [...plugins] });
  });
});

it("the generated code compiles, and so does a program that uses it", { timeout: 60_000 }, () => {
  const programs = Object.entries(usage).map(([name, text]) => {
    const program = join(folder, `${name}-usage.ts`);
    writeFileSync(program, text);
    return program;
  });
  const generated = documents.flatMap(([name]) => [`${name}-types.ts`, `${name}-client/index.ts`]);
  expect(typeErrors([...programs, ...generated.map((name) => join(folder, name))])).toEqual([]);
});
