import { z } from "zod";

/** What a lock contains, by kind. Each section maps the names of subjects to their properties. */
export const kinds = [
  "packages",
  "headers",
  "services",
  "operations",
  "messages",
  "fields",
  "oneofs",
  "enums",
  "values",
  "extensions",
] as const;

export type Kind = (typeof kinds)[number];

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const value = z.union([scalar, z.array(scalar)]);
const section = z.record(z.string(), z.record(z.string(), value));

export const lockSchema = z.strictObject({
  format: z.literal(2),
  packages: section,
  headers: section,
  services: section,
  operations: section,
  messages: section,
  fields: section,
  oneofs: section,
  enums: section,
  values: section,
  extensions: section,
});

/** Everything that callers of the published packages rely on, sorted, in a form that can be reviewed. */
export type Lock = z.infer<typeof lockSchema>;

/** The properties of one subject. A property that is false, empty or unset is left out. */
export type Entry = Lock[Kind][string];
export type Value = Entry[string];
