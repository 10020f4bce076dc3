import type { Context } from "hono";
import * as z from "zod";
import { throwTooLarge } from "./bound-body.js";
import { RequestError } from "./request-error.js";

/**
 * Returns the schema of the JSON body of a request, once it is known that it bounds every string and array.
 *
 * @throws TypeError when the schema accepts a string, an array or an object without a bound: a body within its largest size could
 * still contain far more values than its handler and the storage expect.
 */
export function jsonBody<T>(schema: z.ZodType<T>): z.ZodType<T> {
  const unbounded = findUnbounded(z.toJSONSchema(schema, { io: "input" }), "body");
  if (unbounded.length > 0) {
    throw new TypeError(
      `The schema of a body has no bound for ${unbounded.join(", ")}. Add .max() to strings and arrays, and name every member of objects.`,
    );
  }
  return schema;
}

/** Reads a JSON body. @throws RequestError INVALID_REQUEST when it is not JSON, or breaks the schema; REQUEST_TOO_LARGE */
export async function readJson<T>(context: Context, body: z.ZodType<T>): Promise<T> {
  const { data } = body.safeParse(await context.req.json().catch(throwTooLarge));
  if (data === undefined) throw new RequestError("INVALID_REQUEST");
  return data;
}

/** Returns a time, in milliseconds since the epoch, as the pages get it. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Returns the paths of the values that a schema does not bound. */
function findUnbounded(schema: z.core.JSONSchema._JSONSchema, path: string): string[] {
  if (typeof schema === "boolean") return schema ? [path] : [];
  if (schema.const !== undefined || schema.enum !== undefined) return [];
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.flatMap((each) => findUnbounded(each, path));
  switch (schema.type) {
    case "boolean":
    case "integer":
    case "null":
    case "number":
      return [];
    case "string":
      return schema.maxLength === undefined ? [path] : [];
    case "array":
      return [
        ...(schema.maxItems === undefined ? [path] : []),
        ...[schema.items ?? []].flat().flatMap((each) => findUnbounded(each, `${path}[]`)),
        ...(schema.prefixItems ?? []).flatMap((each, index) => findUnbounded(each, `${path}[${index}]`)),
      ];
    case "object":
      return [
        // Absent: the schema removes unknown members.
        ...(schema.additionalProperties === undefined ? [] : findUnbounded(schema.additionalProperties, `${path}.*`)),
        ...(schema.propertyNames === undefined ? [] : [`${path}.*`]),
        ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => findUnbounded(each, `${path}.${name}`)),
      ];
    default:
      return [path];
  }
}
