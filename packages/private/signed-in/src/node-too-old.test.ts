import { expect, it } from "vitest";
import { nodeTooOld } from "./node-too-old.js";

it("Node 22.11 is too old for 22.12, and the message says so", () => {
  expect(nodeTooOld("platform", "22.12", "22.11.9")).toBe(
    "platform needs Node 22.12 or newer, and this is Node 22.11.9. Install a newer one from https://nodejs.org.",
  );
});

it.each(["22.12.0", "24.0.0", "100.0.0"])("Node %s is not too old for 22.12", (found) => {
  expect(nodeTooOld("platform", "22.12", found)).toBeUndefined();
});
