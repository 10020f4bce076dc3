import type { Contract, Field } from "../../model/contract.ts";
import {
  testContract,
  testEnum,
  testEnumValue,
  testField,
  testHeader,
  testMessage,
  testOperation,
  testPackage,
  testReason,
} from "../../model/testing/test-contract.ts";

const v1 = "platform.v1";
const message = (name: string) => ({ kind: "message", name }) as const;
const kind = { kind: "enum", name: `${v1}.Kind` } as const;

const scalarTypes = ["int32", "uint32", "bool", "string"];

/** Fields of every type and shape that a public message may have. */
const everyField: readonly Field[] = [
  ...scalarTypes.map((type) => testField(`${type}_value`, type)),
  ...scalarTypes.map((type) => testField(`${type}_optional`, type, { shape: "optional" })),
  ...scalarTypes.map((type) => testField(`${type}_list`, type, { shape: "repeated" })),
  testField("parts", message(`${v1}.Part`), { shape: "map", keyType: "string" }),
  testField("made_at", message("google.protobuf.Timestamp")),
  testField("retry_delay", message("google.protobuf.Duration")),
  testField("kind", kind),
  testField("kinds", kind, { shape: "repeated" }),
  testField("part", message(`${v1}.Part`)),
  testField("tree", message(`${v1}.Tree`)),
  testField("by_name", "string", { oneof: "choice" }),
  testField("by_number", "uint32", { oneof: "choice" }),
  testField("by_part", message(`${v1}.Part`), { oneof: "choice" }),
].map((field, index) => ({ ...field, number: index + 1 }));
const choice = {
  place: { file: "", line: 1, column: 1 },
  name: "choice",
  fields: ["byName", "byNumber", "byPart"],
  required: false,
};

/** A contract of one operation whose request and response have fields of every type. */
export function everyType(owner: Partial<Parameters<typeof testPackage>[1]> = {}): Contract {
  return testContract({
    packages: [
      testPackage(v1, {
        limits: { bodyBytes: 65_536 },
        requestHeaders: [
          testHeader("Authorization", { everyCall: true }),
          testHeader("Content-Type", { everyCall: true }),
        ],
        responseHeaders: [testHeader("X-Request-Id", { everyCall: true, required: true })],
        ...owner,
      }),
    ],
    operations: [testOperation(`${v1}.EveryService/Call`, { errors: [{ reason: "PART_NOT_FOUND", when: undefined }] })],
    messages: [
      testMessage(`${v1}.CallRequest`, everyField, { oneofs: [choice] }),
      testMessage(`${v1}.CallResponse`, everyField, { oneofs: [choice] }),
      testMessage(`${v1}.Part`, [testField("name", "string")], { sent: true }),
      testMessage(`${v1}.Tree`, [
        testField("name", "string"),
        { ...testField("left", message(`${v1}.Tree`)), number: 2 },
        { ...testField("branches", message(`${v1}.Tree`), { shape: "repeated" }), number: 3 },
      ]),
      testMessage("google.rpc.ErrorInfo", [
        testField("reason", "string"),
        { ...testField("domain", "string"), number: 2 },
        { ...testField("metadata", "string", { shape: "map", keyType: "string" }), number: 3 },
      ]),
    ],
    enums: [
      testEnum(
        `${v1}.Kind`,
        ["KIND_UNSPECIFIED", "KIND_LOGIN", "KIND_NOTE"].map((name) => testEnumValue(name)),
      ),
      testEnum(`${v1}.ErrorReason`, [testEnumValue("UNSPECIFIED"), testReason("PART_NOT_FOUND")]),
      testEnum(
        "platform.options.v1.Code",
        ["UNSPECIFIED", "NOT_FOUND"].map((name) => testEnumValue(name)),
      ),
    ],
  });
}
