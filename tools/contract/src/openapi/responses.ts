import type { FileRegistry, JsonObject } from "@bufbuild/protobuf";
import { exampleError, guidanceOf } from "./error-example.ts";
import type { ErrorReason } from "./error-reasons.ts";
import { errorName } from "./error-schemas.ts";
import { commonResponseHeaders, reasonResponseHeaders } from "./headers.ts";
import { schemaRef } from "./message-schemas.ts";
import type { PublicOperation } from "./public-operations.ts";

/** The failures of an operation, by HTTP status: which reasons there are, and the body of each. */
export function errorResponses(operation: PublicOperation, contract: FileRegistry): JsonObject {
  const answered = operation.reasons.filter((reason) => reason.answered);
  const statuses = new Set(answered.map(({ httpStatus }) => httpStatus));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const alike = answered.filter(({ httpStatus }) => httpStatus === status);
      return [String(status), errorResponse(alike, operation, contract)];
    }),
  );
}

function errorResponse(
  reasons: readonly ErrorReason[],
  operation: PublicOperation,
  contract: FileRegistry,
): JsonObject {
  const schemas = reasons.map((reason) => schemaRef(errorName(reason)));
  const [only] = schemas;
  return {
    description: reasons.map(({ name, comment }) => `- \`${name}\`: ${comment}`).join("\n"),
    headers: { ...commonHeaderRefs(), ...reasonHeaders(reasons) },
    content: {
      "application/json": {
        schema: schemas.length === 1 && only !== undefined ? only : { oneOf: schemas },
        examples: Object.fromEntries(
          reasons.map((reason) => [
            reason.name,
            { summary: guidanceOf(reason).title, value: exampleError(reason, operation, contract) },
          ]),
        ),
      },
    },
    "x-error-reasons": reasons.map(({ name }) => name),
  };
}

/** The headers of every answer. */
export function commonHeaderRefs(): JsonObject {
  const names = Object.keys(commonResponseHeaders);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A header that all reasons of a status bring is required; one that only some of them bring is not. */
function reasonHeaders(reasons: readonly ErrorReason[]): JsonObject {
  const names = [...new Set(reasons.flatMap(({ headers }) => headers))].sort();
  return Object.fromEntries(
    names.map((name) => {
      const header = reasonResponseHeaders[name];
      if (header === undefined) throw new TypeError(`the header ${name} has no schema: add it to headers.ts`);
      return [name, { ...header, required: reasons.every(({ headers }) => headers.includes(name)) }];
    }),
  );
}
