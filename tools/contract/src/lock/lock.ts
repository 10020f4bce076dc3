import { z } from "zod";

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const value = z.union([scalar, z.array(scalar)]);
const section = z.record(z.string(), z.record(z.string(), value));

/** What a lock contains. Each section maps the names of its subjects to their properties. */
const sections = z.strictObject({
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

export const lockSchema = z.strictObject({ format: z.literal(2), ...sections.shape });
export const kinds = sections.keyof().options;

/** Everything that callers of the published packages rely on, sorted, in a form that can be reviewed. */
export type Lock = z.infer<typeof lockSchema>;
export type Kind = (typeof kinds)[number];
/** The properties of one subject. A property that is false, empty or unset is left out. */
export type Entry = Lock[Kind][string];
export type Value = Entry[string];
