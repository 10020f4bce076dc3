import type { DescMethod, FileRegistry } from "@bufbuild/protobuf";
import { operationName } from "../descriptors.ts";
import { commentOf } from "../openapi/comment.ts";
import { objectIn, optionOf } from "../openapi/option.ts";
import { errorsNamedBy } from "../rules/operation-errors.ts";
import { digest } from "./digest.ts";
import type { LockedOperation } from "./schema.ts";

/** What callers rely on of an operation. */
export function lockOperation(method: DescMethod, contract: FileRegistry): LockedOperation {
  const option = optionOf(method, "platform.options.v1.operation", contract);
  const { visibility, requiredScopes, retrySafety, deprecation } = option;
  const { deprecatedOn, sunsetOn } = objectIn(deprecation);
  return {
    path: `POST /${operationName(method)}`,
    request: method.input.typeName,
    response: method.output.typeName,
    visibility: word(visibility, "VISIBILITY_"),
    requiredScopes: Array.isArray(requiredScopes) ? requiredScopes.map(String).sort() : [],
    retrySafety: word(retrySafety, "RETRY_SAFETY_"),
    ...(deprecatedOn !== undefined && {
      deprecation: { deprecatedOn: String(deprecatedOn), sunsetOn: String(sunsetOn) },
    }),
    errors: [...new Set(errorsNamedBy(method) ?? [])].sort(),
    comment: digest(commentOf(method)),
  };
}

/** The name of an enum value without its prefix, in lower case. */
export function word(value: unknown, prefix: string): string {
  return typeof value === "string" ? value.replace(prefix, "").toLowerCase() : "unspecified";
}
