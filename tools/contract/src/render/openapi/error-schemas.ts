import type { JsonObject } from "@bufbuild/protobuf";
import { enumOf } from "./field-schema.ts";
import { type ErrorReason, errorPageUrl, type PublishedApi } from "./published-api.ts";
import { type Schemas, schemaRef } from "./schemas.ts";

const errorInfo = "google.rpc.ErrorInfo";

/** Adds the schemas of the Error body: of any error, of each detail, and of the body for each reason. */
export function addErrorSchemas(api: PublishedApi, schemas: Schemas): void {
  const sent = api.reasons.filter(({ neverSent }) => !neverSent);
  const codes = api.contract.enums.get("platform.options.v1.Code")?.values ?? [];
  schemas.add("Error", errorSchema(codes.slice(1).map(({ localName }) => localName.toLowerCase())));
  schemas.add("ErrorDetail", errorDetailSchema);
  for (const detail of new Set([errorInfo, ...sent.flatMap(({ details }) => details)])) {
    const debug = schemas.refer(detail, "response");
    schemas.add(detailName(detail), {
      type: "object",
      allOf: [schemaRef("ErrorDetail")],
      properties: { type: { type: "string", const: detail }, debug },
    });
  }
  for (const reason of sent) schemas.add(errorName(reason), reasonSchema(reason, api));
}

/** Returns `ItemNotFoundError` for `ITEM_NOT_FOUND`. */
export function errorName({ name }: ErrorReason): string {
  const words = name.toLowerCase().split("_");
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Error`;
}

function errorSchema(codes: readonly string[]): JsonObject {
  return {
    type: "object",
    description: "The body of every response with an error.",
    properties: {
      code: { ...enumOf(codes), description: "A code of the Connect protocol." },
      message: { type: "string", description: "What happened and what to do, for a person. Not for programs." },
      details: {
        type: "array",
        description: "First the google.rpc.ErrorInfo, whose `reason` identifies the error for programs.",
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

function reasonSchema(reason: ErrorReason, api: PublishedApi): JsonObject {
  const metadata = {
    type: "object",
    properties: { requestId: { type: "string", description: "As in the X-Request-Id header." } },
    required: ["requestId"],
  };
  const debug = {
    type: "object",
    properties: { reason: constant(reason.name), domain: constant(api.package.name), metadata },
  };
  const details = [
    { type: "object", allOf: [schemaRef(detailName(errorInfo))], properties: { debug } },
    ...reason.details.map((detail) => schemaRef(detailName(detail))),
  ];
  return {
    type: "object",
    title: reason.title,
    description: reason.comment,
    externalDocs: { url: errorPageUrl(reason, api), description: "Causes and remedies" },
    allOf: [schemaRef("Error")],
    properties: {
      code: constant(reason.code),
      details: { type: "array", prefixItems: details, items: schemaRef("ErrorDetail"), minItems: details.length },
    },
  };
}

function constant(value: string): JsonObject {
  return { type: "string", const: value };
}

function detailName(detail: string): string {
  return `${detail.replace(/^.*\./, "")}Detail`;
}
