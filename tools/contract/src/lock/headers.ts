import { requestHeaders } from "../openapi/headers.ts";
import { objectIn } from "../openapi/option.ts";
import { flatten } from "./flatten.ts";
import type { LockedHeader } from "./schema.ts";
import { sorted } from "./sorted.ts";

/** The request headers that the contract documents, as the OpenAPI document does. */
export function contractHeaders(): Record<string, LockedHeader> {
  const documented = Object.values(requestHeaders).map(({ name, required, schema }) => {
    const { type: _, ...constraints } = flatten(objectIn(schema));
    return [String(name), { required: required === true, constraints }] as const;
  });
  return sorted([
    // In OpenAPI the security scheme and the media type of the body stand for these two.
    ["Authorization", { required: true, constraints: { pattern: "^Bearer " } }],
    ["Content-Type", { required: true, constraints: { const: "application/json" } }],
    ...documented,
  ]);
}
