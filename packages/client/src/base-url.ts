/**
 * The base URL without slashes at its end; a path prefix is kept.
 *
 * @throws TypeError when it does not begin with http:// or https://, or holds credentials, a query or a fragment. The message
 * does not repeat it. What else may be wrong with it is found by the first call.
 */
export const parseBaseUrl = (baseUrl: string): string => {
  const base = /^(https?:\/\/[^?#@]+?)\/*$/.exec(baseUrl)?.[1];
  if (!base) throw new TypeError("baseUrl is no http URL");
  return base;
};
