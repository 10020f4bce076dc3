/** Whether a value is an id of a tenant, vault, item, principal or OAuth client, or a request id. @see (platform.options.v1.id) */
export function isId(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(value);
}
