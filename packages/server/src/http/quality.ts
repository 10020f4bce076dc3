/**
 * Returns the weight of a media type or content coding in an Accept or Accept-Encoding header, from 0 (not accepted) to 1.
 * Wildcards are ignored.
 *
 * @see RFC 9110 section 12.4.2
 */
export function quality(header: string | undefined, name: string): number {
  for (const part of header?.split(",") ?? []) {
    const [given = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
    if (given !== name) continue;
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    if (weight === undefined) return 1;
    return /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
  }
  return 0;
}
