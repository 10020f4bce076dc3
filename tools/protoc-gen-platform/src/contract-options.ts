import {
  type DescEnumValue,
  type DescField,
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  isMessage,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { z } from "zod";

const texts = z.array(z.string()).default([]);

/** `RETRY_SAFETY_WITH_KEY` as `with_key`. */
const word = (prefix: string) =>
  z
    .string()
    .default("")
    .transform((value) => value.replace(prefix, "").toLowerCase());

const operationOption = z.object({
  visibility: word("VISIBILITY_"),
  retrySafety: word("RETRY_SAFETY_"),
  deprecation: z.object({ deprecatedOn: z.string(), sunsetOn: z.string() }).optional(),
});
const callOption = z.object({ errors: z.array(z.object({ reason: z.string() })).default([]) });
const reasonOption = z.object({ details: texts, everyCall: z.boolean().default(false) });
const fieldOption = z.object({ absentUntil: z.string().optional() });

export interface ContractOptions {
  operation(method: DescMethod): z.infer<typeof operationOption>;
  errors(method: DescMethod): readonly string[];
  reason(value: DescEnumValue): z.infer<typeof reasonOption> | undefined;
  absentUntil(field: DescField): string | undefined;
}

/** Reads the options by reflection over the extensions in `registry`, because their generated code may be outdated. */
export function createContractOptions(registry: Registry): ContractOptions {
  const read = <Schema extends z.ZodType>(
    desc: DescEnumValue | DescField | DescMethod | DescService,
    name: string,
    schema: Schema,
  ) => {
    const extension = registry.getExtension(`platform.options.v1.${name}`);
    if (extension?.fieldKind !== "message" || !hasOption(desc, extension)) return undefined;
    const value = getOption(desc, extension);
    return isMessage(value, extension.message) ? schema.parse(toJson(extension.message, value)) : undefined;
  };
  return {
    operation(method) {
      const ofAll = read(method.parent, "operations", operationOption) ?? operationOption.parse({});
      const { visibility, retrySafety, deprecation } = read(method, "operation", operationOption) ?? ofAll;
      return {
        visibility: visibility || ofAll.visibility,
        retrySafety: retrySafety || ofAll.retrySafety,
        deprecation,
      };
    },
    errors(method) {
      const errors = [read(method.parent, "calls", callOption), read(method, "call", callOption)];
      return errors.flatMap((each) => each?.errors.map(({ reason }) => reason) ?? []);
    },
    reason: (value) => read(value, "reason", reasonOption),
    absentUntil: (field) => read(field, "field", fieldOption)?.absentUntil,
  };
}
