import { expect, it } from "vitest";
import { nodeTooOld } from "./node-too-old.js";

it.each(["16.20.2", "18.20.8", "20.20.2", "22.11.9"])(
  "Node %s is too old for 22.12, and the message says so",
  (found) => {
    expect(nodeTooOld("platform", "22.12", found)).toBe(
      `platform needs Node 22.12 or newer, and this is Node ${found}. Install a newer one from https://nodejs.org.`,
    );
  },
);

it.each(["22.12.0", "22.23.3", "24.0.0", "26.10.0", "100.0.0"])("Node %s is not too old for 22.12", (found) => {
  expect(nodeTooOld("platform", "22.12", found)).toBeUndefined();
});
