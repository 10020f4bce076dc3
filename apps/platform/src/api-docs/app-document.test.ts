import { jsonDocument } from "@platform-rpc/server";
import { expect, it } from "vitest";
import { liveDocument } from "./app-document.js";

it("returns the same object until the value changes", () => {
  let value = "a";
  const document = liveDocument(
    () => value,
    (shown) => jsonDocument(200, { shown }),
  );
  const first = document();
  expect(document()).toBe(first);
  value = "b";
  expect(document().body).toBe('{"shown":"b"}');
  expect(document()).not.toBe(first);
});
