import type { DescMessage } from "@bufbuild/protobuf";
import { BadRequestSchema } from "@platform-rpc/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzzRuns } from "../../test/wire/fuzz-runs.js";
import { publicContract } from "../contract/contract.js";
import { decodeAnyJson, decodeMessage } from "./decode-message.js";
import { readUsualJson } from "./read-usual-json.js";

const requests = [
  ...[...publicContract.operations.values()].map(({ operation, method }) => [operation, method.input] as const),
  // Its only field is a list of messages.
  ["an own operation", BadRequestSchema] as const,
];

/** Texts for a message: mostly its fields with values of any type, under names that are right, nearly right or repeated. */
function textsFor({ fields }: DescMessage) {
  const lists = fields.some(({ fieldKind }) => fieldKind === "list");
  const name = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...fields.map(({ jsonName }) => `"${jsonName}"`)) },
    fc.constantFrom(...fields.map(({ name }) => `"${name}"`), '"__proto__"', '"toString"', '"vault\\u0049d"', '""'),
    fc.string().map((other) => JSON.stringify(other)),
  );
  const value = fc.oneof(
    { weight: 6, arbitrary: fc.stringMatching(/^[a-z0-9:.-]{0,12}$/).map((text) => `"${text}"`) },
    { weight: 6, arbitrary: fc.nat().map(String) },
    fc.constantFrom("0", "-0", "-1", "1.0", "1e2", "1.5", "4294967295", "4294967296", "1e400", '"3"', '"0x3"', '" 3"'),
    fc.constantFrom(
      "true",
      "false",
      "null",
      "[]",
      "{}",
      '{"a":"b"}',
      '["a"]',
      '"\\ud800"',
      '"\\""',
      '"\u{1F511}"',
      "NaN",
    ),
    fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
  );
  const list = fc.constantFrom(
    '[{"field":"a","description":"b"},{}]',
    '[{"field":"a","field":"b"}]',
    '[{"field":"a","unknown":"b"}]',
    '[{"field":null}]',
    "[null]",
    "{}",
  );
  const space = fc.constantFrom("", "", "", " ", "\n\t");
  const member = fc
    .tuple(space, name, space, lists ? fc.oneof(list, value) : value)
    .map(([before, key, between, of]) => `${before}${key}${between}:${of}`);
  const usual = fc.array(member, { maxLength: fields.length + 1 }).map((members) => `{${members.join(",")}}`);
  const mutated = fc
    .tuple(usual, fc.nat(200), fc.nat(3), fc.string({ maxLength: 2 }))
    .map(([text, at, length, other]) => text.slice(0, at) + other + text.slice(at + length));
  const text = fc.oneof({ weight: 4, arbitrary: usual }, mutated, fc.json(), fc.string({ unit: "binary" }));
  // Bodies are decoded from UTF-8, which has no lone surrogates.
  return text.map((any) => Buffer.from(any).toString());
}

/** What a decoder returns or throws, with the prototype of the message. */
function outcomeOf(decode: typeof decodeMessage, schema: DescMessage, text: string) {
  try {
    const message = decode(schema, text);
    return { message, prototype: Object.getPrototypeOf(message), names: Object.keys(message) };
  } catch (error) {
    return { error };
  }
}

describe.each(requests)("a request of %s", (_, schema) => {
  it("is decoded the same with and without the shortcut for the usual JSON", () => {
    let shortcuts = 0;
    fc.assert(
      fc.property(textsFor(schema), (text) => {
        const outcome = outcomeOf(decodeMessage, schema, text);
        expect(outcome).toStrictEqual(outcomeOf(decodeAnyJson, schema, text));
        shortcuts += Number(readUsualJson(schema, text) !== undefined);
      }),
      { numRuns: fuzzRuns(2_000) },
    );
    expect(shortcuts).toBeGreaterThan(20);
  });
});
