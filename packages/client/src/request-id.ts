/** The header that names a call, in requests and in answers. */
export const requestIdHeader = "X-Request-Id";

/** The first of the candidates that can be a request id. */
export function firstRequestId(own: string, ...candidates: readonly (string | null | undefined)[]): string {
  return candidates.find((id) => typeof id === "string" && /^[\x21-\x7e]{1,128}$/.test(id)) ?? own;
}
