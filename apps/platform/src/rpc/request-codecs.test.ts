import {
  create,
  createRegistry,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  fromJsonString,
  type Message,
  ScalarType,
  toJsonString,
} from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import { memberServices } from "@platform-rpc/accounts/members/member-operations";
import { createFetchHandler } from "@platform-rpc/server";
import { Visibility } from "@platform-rpc/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { privateServices } from "./private-routes.js";

const methods = [...privateServices, ...memberServices]
  .flatMap((service): readonly DescMethod[] => service.methods)
  .filter((method) => isUnary(method))
  .map((method) => [`${method.parent.typeName}/${method.name}`, method] as const);

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

const { FUZZ_RUNS = 30 } = process.env;
const numRuns = Number(FUZZ_RUNS);

const ids = fc.stringMatching(/^[a-z][a-z0-9]{0,12}$/);
const texts = fc.oneof(
  { weight: 40, arbitrary: ids },
  fc.constantFrom("", "owner", "authorization_code", "/data/copy", "\u{1F511}", "a b", "\u0000", "x".repeat(129)),
  fc.constantFrom("k".repeat(683), "\u00e9".repeat(1_025), "x".repeat(49_153)),
  fc.string({ unit: "grapheme" }),
);
const numbers = fc.oneof(fc.integer({ min: 1, max: 25 }), fc.constantFrom(0, 90, 91, 501, 2 ** 32 - 1));

/** Most fractions of a second are not whole milliseconds. */
const times = fc
  .record({ seconds: fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n }), nanos: fc.nat(999_999_999) })
  .map((init): Message => create(TimestampSchema, init));

function valuesOf({ scalar, message, fieldKind }: DescField): fc.Arbitrary<unknown> {
  const scalars = scalar === ScalarType.BOOL ? fc.boolean() : scalar === ScalarType.STRING ? texts : numbers;
  const one: fc.Arbitrary<unknown> = message === undefined ? scalars : messagesOf(message);
  // Empty messages, because a list that is too long may be in each element of another one.
  const same = message === undefined ? one : fc.constant(create(message));
  const lists = fc.oneof(
    { weight: 20, arbitrary: fc.array(one, { minLength: 1, maxLength: 2 }) },
    same.map((value) => Array.from({ length: 257 }, () => value)),
    fc.constant([]),
  );
  return fieldKind === "list" ? lists : one;
}

/** Messages of which many are valid. A field is absent in one of twenty. */
function messagesOf(schema: DescMessage): fc.Arbitrary<Message> {
  if (schema.typeName === TimestampSchema.typeName) return times;
  const fields = schema.fields.map((field) => [
    field.localName,
    fc.oneof({ weight: 20, arbitrary: valuesOf(field) }, fc.constant(undefined)),
  ]);
  return fc.record(Object.fromEntries(fields)).map((init) => create(schema, init));
}

/** Changes of the usual JSON of a message. */
const oddities: readonly (readonly [from: RegExp, to: string])[] = [
  [/"(\d*)"/, "$1"],
  [/:(\d+)/, ':"$1"'],
  [/:(\d+)/, ":$1.0"],
  [/:(\d+)/, ":-0"],
  [/:"[^"]*"/, ":null"],
  [/:\[/, ":[null,"],
  [/:\{/, ':{"deep":'.concat('{"a":'.repeat(200), "1", "}".repeat(200), ",")],
  [/^\{/, '{"unknown":[{"a":{}}],'],
  [/^\{/, '{"__proto__":{"a":1},'],
  [/("\w+":)("[^"]*"|\d+|true|false)/, "$1$2,$1$2"],
  [/(?<=[{,])("\w+":)(?=[[{])/, "$1null,$1"],
  [/:"/, ':"\\ud800'],
  [/:"/, ':"\\"'],
  [/"(\w)/, '"\\u0061$1'],
  [/([A-Z])/, "_$1"],
  [/:"[^"]*"/, ":true"],
  [/\}$/, "},"],
  [/:/, " :\n"],
];

// Shared, because a validator reads the rules of a message once.
const imported = [...internalContract.operations.values()].flatMap(({ method }) => method.parent.file.dependencies);
const oracle = createValidator({ registry: createRegistry(...imported) });
const validate = internalContract.createValidator(methods.map(([, { input }]) => input));

describe.each(methods)("a request of %s", (operation, { input }) => {
  const constrained = internalContract.operations.get(operation)?.method.input ?? input;

  it("is only accepted by the quick check if the validator accepts it, and most valid ones are", () => {
    let valid = 0;
    let accepted = 0;
    fc.assert(
      fc.property(messagesOf(input), (message) => {
        const violations = validate(message);
        const isCertain = !(violations instanceof Promise);
        const isValid = oracle.validate(constrained, message).kind === "valid";
        if (isCertain) expect([violations, isValid]).toEqual([[], true]);
        valid += Number(isValid);
        accepted += Number(isCertain);
      }),
      { numRuns: 2 * numRuns },
    );
    // Few runs have few valid messages, of which chance may choose odd ones.
    expect(accepted).toBeGreaterThanOrEqual(valid / 2 - 5);
  });

  it("reaches its implementation as the message that protobuf-es decodes, or is rejected if it decodes none", async () => {
    await fc.assert(
      fc.asyncProperty(textsOf(input), async (text) => {
        const [decoded, expected] = await Promise.all([
          decode(operation, text),
          Promise.resolve(decodeAny(input, text)),
        ]);
        expect(decoded).toStrictEqual(expected);
      }),
      { numRuns },
    );
  });
});

/** Usual and odd JSON of a message: the names of the proto, numbers as strings, null, duplicates, unknown fields, escapes, damage. */
function textsOf(schema: DescMessage): fc.Arbitrary<string> {
  const usual = messagesOf(schema).map((message) => textOf(schema, message, { alwaysEmitImplicit: true }));
  const odd = fc
    .tuple(messagesOf(schema), fc.constantFrom(...oddities), fc.boolean())
    .map(([message, [from, to], useProtoFieldName]) =>
      textOf(schema, message, { alwaysEmitImplicit: true, useProtoFieldName }).replace(from, to),
    );
  return fc.oneof(usual, { weight: 3, arbitrary: odd });
}

/** A body is UTF-8. Larger ones than a listener accepts are not sent. */
function textOf(schema: DescMessage, message: Message, options: Parameters<typeof toJsonString>[2]): string {
  const text = toJsonString(schema, message, options);
  return text.length > 30_000 ? "{}" : text;
}

/** The message, or "rejected". */
function decodeAny(schema: DescMessage, text: string): unknown {
  try {
    return fromJsonString(schema, text, { ignoreUnknownFields: true });
  } catch {
    return "rejected";
  }
}

let received: unknown;
const implementation = (message: Message) => {
  received = message;
  return {};
};
const handle = createFetchHandler(
  {
    routes: (router) => {
      for (const [, method] of methods) router.rpc(method, implementation);
    },
    contract: internalContract,
    admit: () => ({
      ...{ tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1", tokenId: "token-1", grantId: "grant-1" },
      ...{ scopes: [], expiresAt: Number.MAX_SAFE_INTEGER },
    }),
  },
  { visibility: Visibility.PRIVATE, logger: { info: () => {}, error: () => {} } },
);

/** The message that the implementation received, or "rejected". */
async function decode(operation: string, body: string): Promise<unknown> {
  received = "rejected";
  const headers = { "Content-Type": "application/json", "Connect-Protocol-Version": "1" };
  const { status } = await handle(new Request(`https://api.example/${operation}`, { method: "POST", headers, body }));
  expect([200, 400]).toContain(status);
  return received;
}
