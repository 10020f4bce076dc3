const secretNames = new Set(["access_token", "token", "id_token", "refresh_token", "authorization", "device_code"]);

// A JWT, or a JWE: base64url of a JSON object, which begins with `{"`, or `{` and white space, then more parts.
const jwtPattern = /^e[wy][A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_.-]*$/;

/** Whether a string looks like a token or a device code: such a string must not be kept, logged or sent back. */
export function looksSecret(text: string): boolean {
  return text.startsWith("pdc_") || jwtPattern.test(text);
}

/** Whether the query of a URL carries a token or code, by its name or by its looks. */
export function queryHoldsSecret(query: string): boolean {
  for (const [name, value] of new URLSearchParams(query)) {
    if (secretNames.has(name.trim().toLowerCase()) || looksSecret(value.trim()) || looksSecret(name.trim()))
      return true;
  }
  return false;
}
