import { jsonTypes, timestampNames } from "./json-types.ts";
import { operationErrors } from "./operation-errors.ts";
import {
  operationDeprecation,
  operationIdempotency,
  operationPostOnly,
  operationRetrySafety,
  operationScopes,
  operationVisibility,
} from "./operation-options.ts";
import { packageVisibility, publicImports } from "./packages.ts";
import { reasonOptions } from "./reasons.ts";
import { requestBounds } from "./request-bounds.ts";
import type { Rule } from "./rule.ts";
import { serverHeaders } from "./server-headers.ts";
import { reasonSentences, unknownReasons, unusedReasons } from "./server-reasons.ts";

/** The rules of our own, in the order in which docs/contract-rules.md tells them. */
export const rules: readonly Rule[] = [
  operationVisibility,
  operationScopes,
  operationRetrySafety,
  operationIdempotency,
  operationPostOnly,
  operationDeprecation,
  operationErrors,
  packageVisibility,
  publicImports,
  jsonTypes,
  timestampNames,
  requestBounds,
  reasonOptions,
  unknownReasons,
  unusedReasons,
  reasonSentences,
  serverHeaders,
];
