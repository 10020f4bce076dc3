/**
 * Returns what a device calls itself: the first words of the first comment in the `User-Agent` of its program, as in
 * `platform-cli/1.4.0 (ada-laptop; linux)`. Undefined unless the first comment begins with a name.
 *
 * @see RFC 9110 section 10.1.5
 */
export function deviceName(userAgent = ""): string | undefined {
  const [, name] = /^[^(]*\(([A-Za-z0-9][A-Za-z0-9 ._-]{0,59})[;)]/.exec(userAgent) ?? [];
  return name?.trim();
}
