/** Milliseconds that a Retry-After header asks for; undefined when it asks for none, or names a date (RFC 9110, 10.2.3). */
export function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get("Retry-After");
  return value !== null && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : undefined;
}
