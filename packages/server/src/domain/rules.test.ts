import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { rules } from "./rules.js";

const folder = new URL(".", import.meta.url);
const defined = readdirSync(folder)
  .filter((file) => !file.endsWith(".test.ts"))
  .flatMap((file) => [
    ...readFileSync(new URL(file, folder), "utf8").matchAll(/^export const (\w+) = defineRule\("(\w+)"/gm),
  ]);

describe("the registry of rules", () => {
  it("contains every rule of the domain once, by its name", () => {
    expect(rules.map(({ name }) => name).sort()).toEqual(defined.map(([, variable]) => variable).sort());
  });

  it.each(defined)("%s has the name of its constant", (...[, variable, name]) => {
    expect(name).toBe(variable);
  });
});
