/** Shows the fields of a message in JSON, each with the value that stands for its absence. Messages must be there. */
export type Shape<T> = T extends readonly (infer Element)[]
  ? readonly [Shape<Element>]
  : T extends object
    ? { readonly [Field in keyof T]: Shape<T[Field]> }
    : T;

const isMessage = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/**
 * Whether a value has the fields that a shape shows; a list shows one element. Puts in what stands for those that it does not
 * have, so that what is promised to be present is. Unknown fields may be there.
 */
export const fillIn = (shape: unknown, value: unknown): boolean => {
  if (Array.isArray(shape)) return Array.isArray(value) && value.every((element) => fillIn(shape[0], element));
  if (!isMessage(shape)) return typeof value === typeof shape;
  return (
    isMessage(value) &&
    Object.entries(shape).every(([field, part]) => {
      value[field] ??= Array.isArray(part) ? [] : isMessage(part) ? undefined : part;
      return fillIn(part, value[field]);
    })
  );
};
