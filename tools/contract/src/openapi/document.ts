import type { FileRegistry, JsonObject } from "@bufbuild/protobuf";
import { getPackageComments } from "@bufbuild/protoplugin";
import { commentOf } from "./comment.ts";
import { errorDomain } from "./error-example.ts";
import { readErrorReasons } from "./error-reasons.ts";
import { errorSchemas } from "./error-schemas.ts";
import { examplesOf } from "./examples.ts";
import { commonResponseHeaders, requestHeaders, requestHeadersOf } from "./headers.ts";
import { createMessageSchemas, type MessageSchemas } from "./message-schemas.ts";
import { type PublicOperation, readPublicOperations } from "./public-operations.ts";
import { commonHeaderRefs, errorResponses } from "./responses.ts";

const securityScheme = "BearerAuth";
const publicTag = "public";

const everyCall =
  "Every call is an HTTP POST of a JSON body, with the header `Connect-Protocol-Version: 1`. A 200 has the body of the operation. Every other answer has an Error body, and `reason` in its google.rpc.ErrorInfo tells programs what happened.";

/**
 * The OpenAPI 3.1 document of the public operations. The same contract always gives the same document.
 *
 * @throws TypeError when the contract holds what the document has no words for.
 */
export function openapiDocument(contract: FileRegistry): JsonObject {
  const reasons = readErrorReasons(contract);
  const operations = readPublicOperations(contract, reasons);
  const messages = createMessageSchemas(contract);
  const paths = operations.map(
    (operation) => [`/${operation.name}`, { post: operationObject(operation, messages, contract) }] as const,
  );
  const answered = [...reasons.values()].filter((reason) => reason.answered);
  const schemas = new Map([...errorSchemas(answered, messages, contract), ...messages.made]);
  return {
    openapi: "3.1.1",
    info: {
      title: "Platform API",
      version: "v1",
      description: descriptionOf(contract),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      {
        url: "{baseUrl}",
        variables: { baseUrl: { default: "http://127.0.0.1:8080", description: "Where it is served." } },
      },
    ],
    tags: [{ name: publicTag, description: "Operations for integrators." }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: Object.fromEntries([...schemas].sort(([one], [other]) => (one < other ? -1 : 1))),
      parameters: requestHeaders,
      headers: commonResponseHeaders,
      securitySchemes: {
        [securityScheme]: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description:
            "A short-lived access token, in the Authorization header only: never in the URL. The policy must allowlist its OAuth client for the operation.",
        },
      },
    },
  };
}

function operationObject(operation: PublicOperation, messages: MessageSchemas, contract: FileRegistry): JsonObject {
  const { name, method, requiredScopes, retrySafety } = operation;
  const examples = examplesOf(operation);
  return {
    operationId: name.replace("/", "."),
    summary: method.name,
    description: operation.comment,
    // One tag: documentation lists an operation under each of its tags.
    tags: [publicTag],
    security: [{ [securityScheme]: [...requiredScopes] }],
    "x-required-scopes": [...requiredScopes],
    "x-retry-safety": retrySafety,
    "x-visibility": publicTag,
    parameters: requestHeadersOf(operation).map((header) => ({ $ref: `#/components/parameters/${header}` })),
    requestBody: {
      required: true,
      description:
        "One JSON object in UTF-8, at most 64 KiB, each key once, not compressed. Unknown fields are ignored. Content-Type may carry `charset=utf-8`, and no other parameter.",
      content: {
        "application/json": {
          schema: messages.refer(method.input, "request"),
          examples: named(examples.requests),
        },
      },
    },
    responses: {
      "200": {
        description: commentOf(method.output),
        headers: commonHeaderRefs(),
        content: {
          "application/json": {
            schema: messages.refer(method.output, "response"),
            examples: named(examples.responses),
          },
        },
      },
      ...errorResponses(operation, contract),
    },
  };
}

function named(values: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

/** The comment of the package, which stands in one of its files, and the rules of every call. */
function descriptionOf(contract: FileRegistry): string {
  const comments = [...contract.files]
    .filter((file) => file.proto.package === errorDomain)
    .flatMap((file) => getPackageComments(file).leading ?? []);
  return [...comments.map((comment) => comment.trim().replace(/\s*\n\s*/g, " ")), everyCall].join("\n\n");
}
