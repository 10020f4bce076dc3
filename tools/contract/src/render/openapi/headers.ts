import type { JsonObject } from "@bufbuild/protobuf";
import type { Header, Operation } from "../../model/contract.ts";
import { headerNamed, type OperationReason, operationPageUrl, type PublishedApi } from "./published-api.ts";

/** OpenAPI describes these by the media type of the body and by the security scheme. */
const coveredElsewhere = ["Authorization", "Content-Type"];

export function requestHeaders({ package: { requestHeaders: headers } }: PublishedApi): JsonObject {
  const parameters = headers.filter(({ name }) => !coveredElsewhere.includes(name));
  return Object.fromEntries(
    parameters.map((header) => [
      componentName(header.name),
      { name: header.name, in: "header", ...(header.required && { required: true }), ...headerObject(header) },
    ]),
  );
}

export function requestHeadersOf({ headers }: Operation, api: PublishedApi): readonly JsonObject[] {
  const own = headers.map((name) => headerNamed(name, "request", api));
  return api.package.requestHeaders
    .filter((header) => !coveredElsewhere.includes(header.name) && (header.everyCall || own.includes(header)))
    .map(({ name }) => ({ $ref: `#/components/parameters/${componentName(name)}` }));
}

export function commonHeaders({ package: { responseHeaders } }: PublishedApi): JsonObject {
  const common = responseHeaders.filter(({ everyCall }) => everyCall);
  return Object.fromEntries(
    common.map((header) => [header.name, { ...headerObject(header), required: header.required }]),
  );
}

/** Returns the headers of a response of an operation. A header that only some of its reasons send is not required. */
export function responseHeaders(
  reasons: readonly OperationReason[],
  operation: Operation,
  api: PublishedApi,
): JsonObject {
  const common = Object.keys(commonHeaders(api)).map(
    (name) => [name, { $ref: `#/components/headers/${name}` }] as const,
  );
  const names = [...new Set(reasons.flatMap(({ headers }) => headers))].sort();
  const brought = names.map((name) => {
    const required = reasons.every(({ headers }) => headers.includes(name));
    return [name, { ...headerObject(headerNamed(name, "response", api)), required }] as const;
  });
  return { ...Object.fromEntries([...common, ...brought]), ...deprecationHeaders(operation, api) };
}

function headerObject({ description, const: only, pattern, minLen, maxLen, example }: Header): JsonObject {
  return {
    description,
    schema: {
      type: "string",
      ...(only !== undefined && { const: only }),
      ...(pattern !== undefined && { pattern }),
      ...(minLen > 0 && { minLength: minLen }),
      ...(maxLen !== undefined && { maxLength: maxLen }),
    },
    ...(example !== undefined && { example }),
  };
}

/** RFC 9745 and RFC 8594. Not required: errors of the transport, such as malformed HTTP, lack them. */
function deprecationHeaders(operation: Operation, api: PublishedApi): JsonObject {
  if (operation.deprecation === undefined) return {};
  const { deprecatedOn, sunsetOn } = operation.deprecation;
  const deprecation = `@${Date.parse(deprecatedOn) / 1000}`;
  const sunset = new Date(sunsetOn).toUTCString();
  // Relative to the path of the operation.
  const link = `<../${operationPageUrl(operation, api)}>; rel="deprecation"; type="text/html"`;
  return {
    Deprecation: {
      description: `Deprecated since ${deprecatedOn} (RFC 9745).`,
      schema: { type: "string", const: deprecation },
    },
    Link: {
      description: "The page that says what to use instead (RFC 9745 section 3).",
      schema: { type: "string", const: link },
    },
    Sunset: { description: `Served until ${sunsetOn} at least (RFC 8594).`, schema: { type: "string", const: sunset } },
  };
}

/** Returns `XRequestId` for `X-Request-Id`. */
function componentName(header: string): string {
  return header.replaceAll("-", "");
}
