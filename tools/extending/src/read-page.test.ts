import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { applyDiff, readPage } from "./read-page.ts";

const page = `# A page

**\`src/new.ts\`**

\`\`\`ts
export const one = 1;
\`\`\`

**\`src/old.ts\`**

\`\`\`diff
 return {
+  one,
   two,
\`\`\`

\`\`\`sh
npx -y pnpm@12 generate
npx -y pnpm@12 lint
\`\`\`

\`\`\`sh fails
npx -y pnpm@12 exec tsc
\`\`\`

\`\`\`text
src/new.ts
Cannot find module
\`\`\`
`;

it("reads files, edits and commands in the order of the page", () => {
  expect(readPage(page)).toEqual([
    { kind: "write", path: "src/new.ts", code: "export const one = 1;\n" },
    { kind: "edit", path: "src/old.ts", diff: " return {\n+  one,\n   two,\n" },
    { kind: "run", command: "pnpm generate" },
    { kind: "run", command: "pnpm lint" },
    { kind: "fail", command: "pnpm exec tsc", output: ["src/new.ts", "Cannot find module"] },
  ]);
});

it.each([
  ["code without a path", "```ts\nexport {};\n```\n", "has no path in bold"],
  ["a failing command without its output", "```sh fails\npnpm lint\n```\n", "A block of text must follow"],
])("rejects %s", (_case, text, message) => {
  expect(() => readPage(text)).toThrow(message);
});

it("adds lines where the other lines of a diff are", () => {
  expect(applyDiff("f({\n  a,\n  c,\n});\n", "   a,\n+  b,\n   c,\n")).toBe("f({\n  a,\n  b,\n  c,\n});\n");
});

it("replaces lines", () => {
  expect(applyDiff("a\nb\nc\n", " a\n-b\n+d\n c\n")).toBe("a\nd\nc\n");
});

it.each([
  ["missing", "x\n", 0],
  ["ambiguous", "a\na\n", 2],
])("rejects a diff whose place is %s", (_case, text, times) => {
  expect(() => applyDiff(text, " a\n+b\n")).toThrow(`These lines are ${times} times in the file`);
});

const [operation = "", , stored = ""] = readFileSync(
  new URL("../../../docs/extending.md", import.meta.url),
  "utf8",
).split(/^## [56][.]/m);

it("docs/extending.md stores a field with one new file, and the operation that writes it", () => {
  const steps = readPage(stored);
  expect(steps.filter(({ kind }) => kind === "write")).toHaveLength(1);
  const edited = steps.flatMap((step) => (step.kind === "edit" ? [step.path.split("/").at(-1)] : []));
  expect([...new Set(edited)]).toEqual(["check-item.ts", "check-item.test.ts", "vault-service.ts"]);
});

it("docs/extending.md adds an operation with three files by hand, and one table of cases", () => {
  const written = readPage(operation).flatMap((step) => ("path" in step ? [step.path] : []));
  const files = new Set(written.filter((path) => !path.startsWith(".changeset/")));
  expect([...files].filter((path) => !path.endsWith(".test.ts"))).toHaveLength(3);
  expect([...files].filter((path) => path.endsWith(".test.ts"))).toHaveLength(1);
});
