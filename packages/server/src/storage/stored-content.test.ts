import { describe, expect, it } from "vitest";
import { contentJson, shreddedContent } from "../domain/model/item.js";
import { contentOf } from "../testing/storage-suite/fixture.js";
import { descriptionOf } from "./engine/apply-write.js";
import { readContent } from "./stored-content.js";

const content = contentOf("a");
const { titleHash, encryptedPayload, wrappedKeys } = content;
const { nonce, aad, ciphertext } = encryptedPayload;
const describeContent = () => descriptionOf(content);

describe("a stored content", () => {
  it("is returned as the JSON that was stored, without a look at its description", () => {
    const describe = () => expect.unreachable("the description is in the JSON");
    const json = contentJson(content);
    expect(contentJson(readContent(json, describe))).toBe(json);
    expect(readContent(json, describe)).toMatchObject(content);
  });

  it.each([
    ["of a development version", JSON.stringify({ titleHash, nonce, aad, ciphertext, wrappedKeys }), content],
    ["that was shredded", undefined, shreddedContent(content)],
  ])("%s gets its description, and the spelling of a response", (_, json, expected) => {
    expect(contentJson(readContent(json, describeContent))).toBe(contentJson(expected));
  });
});
