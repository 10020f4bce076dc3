const secretNames = new Set(["access_token", "token", "id_token", "refresh_token", "authorization", "device_code"]);

// The beginning of a JWT's or JWE's header: base64url of a JSON object that begins with `{"`, or with `{` and white space,
// which is told from an ordinary word only where a word begins.
const headerPattern = /(?:eyJ|^eyA|^ew[ok0])[\w-]{7}/;

/**
 * Tells whether a token or a device code stands anywhere in a string: such a string must not be kept, logged or sent
 * back. Takes time in proportion to the length of the string.
 */
export function looksSecret(text: string): boolean {
  if (text.includes("pdc_")) return true;
  // A token has two dots at least, and nothing in it but base64url beside them.
  return text.includes(".") && text.split(/[^\w.-]+/).some(holdsToken);
}

/** Whether one of the parts between dots, with at least two parts after it, begins a token. */
function holdsToken(word: string): boolean {
  return word
    .split(".")
    .slice(0, -2)
    .some((part) => headerPattern.test(part));
}

/** Tells whether the query of a URL carries a token or code, by its name or by its looks. */
export function queryHoldsSecret(query: string): boolean {
  for (const [name, value] of new URLSearchParams(query)) {
    if (secretNames.has(name.trim().toLowerCase()) || looksSecret(value) || looksSecret(name)) return true;
  }
  return false;
}
