import { expect, it } from "vitest";
import { unchanged } from "./decision.js";
import { defineRule } from "./rule.js";
import type { ItemSnapshot } from "./vault.js";

const add = defineRule("add", (snapshot: number, more: number, label: string) =>
  unchanged({ [label]: snapshot + more }),
);

it("a rule binds its arguments as data, and decides with them", () => {
  expect(add.name).toBe("add");
  const bound = add(2, "sum");
  expect(structuredClone({ name: bound.name, args: bound.args })).toEqual({ name: "add", args: [2, "sum"] });
  expect(bound.decide(1)).toEqual({ outcome: { sum: 3 }, writes: [] });
});

it("the compiler rejects functions in arguments and outcomes", () => {
  // @ts-expect-error: an argument is a function.
  defineRule("argument", (_: undefined, pass: () => boolean) => unchanged(pass()));
  // @ts-expect-error: an item in a snapshot has a function that loads its content.
  defineRule("outcome", ({ item }: ItemSnapshot) => unchanged(item));
});
