import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { asCurl, asTypeScript } from "./copied-call.js";

const operation = "platform.v1.VaultService/DeleteItem";
const member = "platform.accounts.v1.MemberVaultService/ListChanges";
const url = `https://api.example/${operation}`;

/** Returns what TypeScript reports about a program that a person copied. */
function problemsOf(program: string): readonly string[] {
  const path = fileURLToPath(new URL("program.ts", import.meta.url));
  const base = fileURLToPath(new URL("../../../../tsconfig.base.json", import.meta.url));
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(base, ts.sys.readFile).config, ts.sys, "");
  const settings = { ...options, types: ["node"] };
  const host = ts.createCompilerHost(settings);
  const getSourceFile: ts.CompilerHost["getSourceFile"] = (name, languageVersion, ...rest) =>
    name === path
      ? ts.createSourceFile(name, program, languageVersion)
      : host.getSourceFile(name, languageVersion, ...rest);
  const checked = ts.createProgram([path], settings, { ...host, getSourceFile });
  return ts.getPreEmitDiagnostics(checked).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

describe("a copied call", () => {
  it("is a command whose body a shell reads unchanged, with the token of a variable", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const request = JSON.stringify(value);
        const command = asCurl({ url, operation, request });
        // The shell prints the words instead of running curl.
        const script = `curl() { printf '%s\\0' "$@"; }; TOKEN=secret; ${command}`;
        const words = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0");
        expect(words).toContain("Authorization: Bearer secret");
        expect(words).toContain(url);
        expect(words[words.indexOf("--data-raw") + 1]).toBe(request);
      }),
      { numRuns: 50 },
    );
  });

  it("is a TypeScript program with the same request", () => {
    expect(asTypeScript({ url, operation, request: '{"vaultId":"v","baseVersion":1}' })).toMatchInlineSnapshot(`
      "import { createClient } from "@connectrpc/connect";
      import { createPlatformTransport } from "@platform-rpc/client";
      import { VaultService } from "@platform-rpc/types";

      const transport = createPlatformTransport({ baseUrl: "https://api.example", token: process.env["TOKEN"] });
      const client = createClient(VaultService, transport);
      const response = await client.deleteItem({
        "vaultId": "v",
        "baseVersion": 1
      });
      console.log(response);
      "
    `);
  });

  it("is a program without private packages for an operation of the member API", () => {
    const program = asTypeScript({ url: `http://localhost:8082/${member}`, operation: member, request: '{"limit":1}' });
    expect(program).toMatchInlineSnapshot(`
      "const response = await fetch("http://localhost:8082/platform.accounts.v1.MemberVaultService/ListChanges", {
        method: "POST",
        headers: {
          Authorization: \`Bearer \${process.env["TOKEN"]}\`,
          "Content-Type": "application/json",
          "Connect-Protocol-Version": "1",
        },
        body: JSON.stringify({
        "limit": 1
      }),
      });
      console.log(response.status, await response.json());
      "
    `);
  });

  const unknown = `Object literal may only specify known properties, and '"item"' does not exist`;
  it.each([
    ["accepts a call of a public operation", operation, '{"vaultId":"v","itemId":"i","baseVersion":1}', []],
    ["accepts a call of the member API", member, '{"vaultId":"v","afterSequence":7}', []],
    ["rejects a field that the published client does not know", operation, '{"item":"i"}', [unknown]],
  ])("TypeScript %s", (_, called, request, problems) => {
    const program = asTypeScript({ url: `https://api.example/${called}`, operation: called, request });
    expect(problemsOf(program)).toEqual(problems.map((problem) => expect.stringContaining(problem)));
  });

  it("contains any JSON as a literal", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const request = JSON.stringify(value);
        const program = asTypeScript({ url, operation, request });
        const [, literal = ""] = /deleteItem\((.*)\);\nconsole\.log/s.exec(program) ?? [];
        expect(JSON.stringify(JSON.parse(literal.replaceAll('["__proto__"]:', '"__proto__":')))).toBe(request);
      }),
    );
  });
});
