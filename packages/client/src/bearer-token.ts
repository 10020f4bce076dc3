/** The text of a token. @throws RangeError when it is no bearer token: nothing else can stand in a header (RFC 6750). */
export const readBearer = (token: unknown): string => {
  const text: unknown = Object(token).reveal?.() ?? token;
  if (typeof text === "string" && /^[!-~]+$/.test(text)) return text;
  throw new RangeError("no bearer token");
};
