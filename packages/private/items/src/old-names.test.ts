import { expect, it } from "vitest";
import { typeOfName } from "./old-names.js";

it.each([
  ["Username", "text"],
  ["expires", "text"],
  ["website", "url"],
  ["URL", "url"],
  ["email", "email"],
  ["phone", "phone"],
  ["password", "secret"],
  ["number", "secret"],
  ["what another program calls it", "secret"],
])("takes every field for a secret that is not known to be public: %s is %s", (name, type) => {
  expect(typeOfName(name)).toBe(type);
});
