import { z } from "zod";

const constraints = z.record(z.string(), z.json()).default({});

const operation = z.strictObject({
  path: z.string(),
  request: z.string(),
  response: z.string(),
  visibility: z.string(),
  requiredScopes: z.array(z.string()),
  retrySafety: z.string(),
  deprecation: z.strictObject({ deprecatedOn: z.string(), sunsetOn: z.string() }).optional(),
  /** The reasons that its comment names. */
  errors: z.array(z.string()),
  comment: z.string(),
});

const field = z.strictObject({
  number: z.number(),
  type: z.string(),
  /** "optional": it may be absent from the JSON, and that means something. */
  presence: z.enum(["always", "optional"]),
  constraints,
  /** Of an open string: the values that its comment documents. */
  documentedValues: z.array(z.string()).optional(),
});

const message = z.strictObject({
  /** Whether callers send it, alone or inside of a request. */
  sent: z.boolean(),
  /** Of the message as a whole, and of its groups of alternatives. */
  constraints,
  comment: z.string(),
  fields: z.record(z.string(), field).default({}),
});

const reason = z.strictObject({
  code: z.string(),
  httpStatus: z.number(),
  /** The operations that name it, or every call. */
  operations: z.union([z.literal("every call"), z.array(z.string())]),
  comment: z.string(),
});

const header = z.strictObject({ required: z.boolean(), constraints });

/**
 * All that callers of the public contract rely on and that buf does not see. Comments stand in it as digests: that they
 * changed is worth knowing, and not worth a second copy. What is empty is left out of the file.
 */
export const lockSchema = z.strictObject({
  format: z.literal(1),
  operations: z.record(z.string(), operation),
  messages: z.record(z.string(), message),
  reasons: z.record(z.string(), reason),
  /** The largest, longest or most that is let through by default. A lower figure lets less through. */
  limits: z.record(z.string(), z.number()),
  /** The request headers. */
  headers: z.record(z.string(), header),
});

export type Lock = z.infer<typeof lockSchema>;
export type LockedOperation = z.infer<typeof operation>;
export type LockedMessage = z.infer<typeof message>;
export type LockedField = z.infer<typeof field>;
export type LockedReason = z.infer<typeof reason>;
export type LockedHeader = z.infer<typeof header>;
export type Constraints = z.infer<typeof constraints>;
