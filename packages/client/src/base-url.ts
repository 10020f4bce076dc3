/**
 * The base URL without slashes at its end; a path prefix is kept.
 *
 * @throws TypeError when it does not begin as an http or https URL does, or holds credentials, a query or a fragment. The
 * message does not repeat it.
 */
export const parseBaseUrl = (baseUrl: string): string => {
  const base = /^(https?:\/\/[^?#@]+?)\/*$/.exec(baseUrl)?.[1];
  if (!base) throw new TypeError("baseUrl is no http URL");
  return base;
};
