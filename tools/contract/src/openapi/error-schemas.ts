import type { DescMessage, FileRegistry, JsonObject } from "@bufbuild/protobuf";
import { errorDomain, guidanceOf } from "./error-example.ts";
import type { ErrorReason } from "./error-reasons.ts";
import { type MessageSchemas, schemaRef } from "./message-schemas.ts";

/** The schemas of the Error body: as such, of each detail, and of the body that each reason has. */
export function errorSchemas(
  reasons: readonly ErrorReason[],
  messages: MessageSchemas,
  contract: FileRegistry,
): ReadonlyMap<string, JsonObject> {
  const errorInfo = contract.getMessage("google.rpc.ErrorInfo");
  if (errorInfo === undefined) throw new TypeError("the contract has no google.rpc.ErrorInfo");
  const details = [errorInfo, ...reasons.flatMap(({ detail }) => detail ?? [])];
  return new Map([
    ["Error", errorSchema(contract)],
    ["ErrorDetail", errorDetailSchema],
    ...details.map((detail) => [detailName(detail), detailSchema(detail, messages)] as const),
    ...reasons.map((reason) => [errorName(reason), reasonSchema(reason, errorInfo)] as const),
  ]);
}

/** `ITEM_NOT_FOUND`: `ItemNotFoundError`. */
export function errorName({ name }: ErrorReason): string {
  const words = name.toLowerCase().split("_");
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Error`;
}

function errorSchema(contract: FileRegistry): JsonObject {
  const codes = contract.getEnum("platform.options.v1.Code")?.values ?? [];
  return {
    type: "object",
    description: "The body of every failed request, whatever its cause.",
    properties: {
      code: {
        type: "string",
        description: "One of the codes of the Connect protocol.",
        enum: codes.filter(({ number }) => number !== 0).map(({ localName }) => localName.toLowerCase()),
      },
      message: { type: "string", description: "What happened and what to do, for a person. Not for programs." },
      details: {
        type: "array",
        description: "First the google.rpc.ErrorInfo, whose `reason` tells programs what happened.",
        items: schemaRef("ErrorDetail"),
        minItems: 1,
      },
    },
    required: ["code", "message", "details"],
  };
}

const errorDetailSchema: JsonObject = {
  type: "object",
  description: "One detail of an error. Callers tolerate details of types that they do not know.",
  properties: {
    type: { type: "string", description: "The name of the detail's protobuf message." },
    value: {
      type: "string",
      description: "The message in binary: base64 without padding.",
      pattern: "^[A-Za-z0-9+/]*$",
    },
    debug: { type: "object", description: "The same message as JSON." },
  },
  required: ["type", "value", "debug"],
};

function detailName(detail: DescMessage): string {
  return `${detail.name}Detail`;
}

function detailSchema(detail: DescMessage, messages: MessageSchemas): JsonObject {
  return {
    type: "object",
    allOf: [schemaRef("ErrorDetail")],
    properties: { type: { type: "string", const: detail.typeName }, debug: messages.refer(detail, "response") },
  };
}

function reasonSchema(reason: ErrorReason, errorInfo: DescMessage): JsonObject {
  const details = [
    {
      type: "object",
      allOf: [schemaRef(detailName(errorInfo))],
      properties: {
        debug: {
          type: "object",
          properties: {
            reason: { type: "string", const: reason.name },
            domain: { type: "string", const: errorDomain },
            metadata: {
              type: "object",
              properties: { requestId: { type: "string", description: "As in the X-Request-Id header." } },
              required: ["requestId"],
            },
          },
        },
      },
    },
    ...(reason.detail === undefined ? [] : [schemaRef(detailName(reason.detail))]),
  ];
  return {
    type: "object",
    title: guidanceOf(reason).title,
    description: reason.comment,
    allOf: [schemaRef("Error")],
    properties: {
      code: { type: "string", const: reason.code },
      details: { type: "array", prefixItems: details, minItems: details.length },
    },
  };
}
