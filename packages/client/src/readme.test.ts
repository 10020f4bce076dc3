import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const root = new URL("../", import.meta.url);
const readme = readFileSync(new URL("README.md", root), "utf8");
const examples = readdirSync(new URL("examples/", root));

describe("README.md", () => {
  it.each(examples)("shows examples/%s unchanged, which the compiler checks", (name) => {
    const source = readFileSync(new URL(`examples/${name}`, root), "utf8");
    expect(readme).toContain(`<!-- examples/${name} -->\n\`\`\`ts\n${source}\`\`\`\n`);
  });

  it("shows no other code", () => {
    expect(readme.match(/^```ts$/gm)).toHaveLength(examples.length);
  });
});
