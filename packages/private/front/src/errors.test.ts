import { expect, it } from "vitest";
import { errorFields } from "./errors.js";

it("SPEC section 5.3: an error and its cause are logged by name and stack frames, never with their messages", () => {
  const fields = errorFields(new TypeError("message-1", { cause: new RangeError("message-2") }));
  expect(fields).toMatchObject({ error: "TypeError", cause: { error: "RangeError" } });
  expect(fields.cause?.frames[0]).toContain("errors.test.ts");
  expect(JSON.stringify(fields)).not.toContain("message-");
});

it("a thrown value that is not an error is logged without the value", () => {
  expect(JSON.stringify(errorFields("message-1"))).not.toContain("message-1");
});
