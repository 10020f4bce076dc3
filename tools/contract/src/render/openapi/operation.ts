import type { JsonObject } from "@bufbuild/protobuf";
import type { Operation } from "../../model/contract.ts";
import { errorName } from "./error-schemas.ts";
import { type ExampleError, exampleOf } from "./examples.ts";
import { requestHeadersOf, responseHeaders } from "./headers.ts";
import {
  headerNamed,
  type OperationReason,
  operationPageUrl,
  type PublishedApi,
  reasonsOf,
  summaryOf,
} from "./published-api.ts";
import { type Schemas, schemaRef } from "./schemas.ts";

export const securityScheme = "BearerAuth";

/** Returns the tag of a service's operations: `VaultService` for `platform.v1.VaultService`. */
export function tagOf(service: string): string {
  return service.slice(service.lastIndexOf(".") + 1);
}

export function operationObject(
  operation: Operation,
  api: PublishedApi,
  schemas: Schemas,
  exampleError: ExampleError,
): JsonObject {
  const { name, service, comment, requiredScopes, retrySafety, rate, deprecated, deprecation, request, response } =
    operation;
  const { contract } = api;
  const notes = [
    ...(rate ? [`By default, a principal may make ${rate.perMinute} calls a minute, and ${rate.burst} at once.`] : []),
    ...(deprecation
      ? [`Deprecated since ${deprecation.deprecatedOn}. It is served until ${deprecation.sunsetOn} at least.`]
      : []),
    `[Errors, limits and changes](${operationPageUrl(operation, api)})`,
  ];
  return {
    operationId: name.replace("/", "."),
    summary: summaryOf(operation),
    description: [comment, ...notes].join("\n\n"),
    // Only one tag, because documentation lists an operation under each of its tags.
    tags: [tagOf(service)],
    ...(deprecated && { deprecated: true }),
    security: [{ [securityScheme]: [...requiredScopes] }],
    "x-required-scopes": [...requiredScopes],
    "x-retry-safety": retrySafety,
    "x-visibility": "public",
    ...(rate && { "x-rate": { ...rate } }),
    ...(deprecation && { "x-deprecation": { ...deprecation } }),
    parameters: [...requestHeadersOf(operation, api)],
    requestBody: {
      required: true,
      description: bodyRules(operation, api),
      content: jsonContent(schemas.refer(request, "request"), { example: exampleOf(request, "request", contract) }),
    },
    responses: {
      "200": {
        description: contract.messages.get(response)?.comment ?? "",
        headers: responseHeaders([], operation, api),
        content: jsonContent(schemas.refer(response, "response"), {
          example: exampleOf(response, "response", contract),
        }),
      },
      ...errorResponses(operation, api, exampleError),
    },
  };
}

function errorResponses(operation: Operation, api: PublishedApi, exampleError: ExampleError): JsonObject {
  const sent = reasonsOf(operation, api).filter(({ neverSent }) => !neverSent);
  const statuses = new Set(sent.map(({ httpStatus }) => httpStatus));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const reasons = sent.filter(({ httpStatus }) => httpStatus === status);
      return [String(status), errorResponse(reasons, operation, api, exampleError)];
    }),
  );
}

function errorResponse(
  reasons: readonly OperationReason[],
  operation: Operation,
  api: PublishedApi,
  exampleError: ExampleError,
): JsonObject {
  const bodies = reasons.map((reason) => schemaRef(errorName(reason)));
  const [only = {}] = bodies;
  const examples = reasons.map(
    (reason) => [reason.name, { summary: reason.title, value: exampleError(reason, operation) }] as const,
  );
  return {
    description: reasons.map(({ name, when }) => `- \`${name}\`: ${when}`).join("\n"),
    headers: responseHeaders(reasons, operation, api),
    // Not oneOf: to a validator of an older JSON Schema, which ignores prefixItems, the bodies of reasons with one code look the same.
    content: jsonContent(bodies.length === 1 ? only : { anyOf: bodies }, { examples: Object.fromEntries(examples) }),
    "x-error-reasons": reasons.map(({ name }) => name),
  };
}

function jsonContent(schema: JsonObject, example: JsonObject): JsonObject {
  return { "application/json": { schema, ...example } };
}

function bodyRules({ bodyBytes }: Operation, api: PublishedApi): string {
  const { bodyBytes: packageBytes = 0 } = api.package.limits ?? {};
  const most = Math.max(bodyBytes, packageBytes);
  const size = most === 0 ? "" : `, at most ${most / 1024} KiB`;
  const mediaType = headerNamed("Content-Type", "request", api).description;
  return `One JSON object in UTF-8${size}, each key once, not compressed. Unknown fields are ignored. ${mediaType}`;
}
