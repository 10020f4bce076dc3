/**
 * Requires that a part which a program passes has a method of its type, because programs in JavaScript may pass anything.
 *
 * @param expected what to pass instead, as the rest of the sentence after the name.
 * @throws TypeError that names the part.
 */
export function requirePart(name: string, value: unknown, method: string, expected: string): void {
  const { then, [method]: found }: { readonly [key: string]: unknown } = Object(value);
  if (typeof found === "function") return;
  throw new TypeError(typeof then === "function" ? `${name} is a promise: await it.` : `${name} ${expected}.`);
}

/** Requires that a path is a text. @throws TypeError that names the function. */
export function requirePath(called: string, path: unknown, expected: string): void {
  if (typeof path !== "string" || path === "") throw new TypeError(`${called}: path must be ${expected}, as a string.`);
}
