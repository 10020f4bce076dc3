import { newKinds } from "@platform-rpc/items/kinds";
import { expect, it } from "vitest";
import { iconOfKind } from "./kind-icon.js";

it.each(newKinds)("a kind that can be added has its own icon: %s", (kind) => {
  expect(iconOfKind(kind)).toBe(kind);
});

it("a kind of another program has the icon of other kinds", () => {
  expect(iconOfKind("of_another_program")).toBe("other");
});
