import { isIP } from "node:net";
import * as z from "zod";

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const hostRule = "must be a host name or an IP address, without a port";
const portRule = "must be a whole number from 0 to 65535; 0 selects a free port";
const urlRule = "must be an http or https URL without credentials, query or fragment";
const databaseUrlRule =
  "must be a URL such as postgres://user:password@host:5432/database, with special characters of the password percent-encoded; leave it out to use SQLite in DATA_DIR";
const audienceRule = "must be 1 to 256 visible ASCII characters";
export const keysIdRule =
  "must be the id of the keys to replace: 16 hexadecimal digits, printed by the start that failed";
export const originsRule =
  "must be origins such as https://app.example, separated by commas; wildcards are not supported";

export const hostsRule = "must be host names or IP addresses without ports, separated by commas";
export const addressesRule = "must be IP addresses, or ranges such as 10.0.0.0/8, separated by commas";
const countRule = "must be a whole number from 1 to 1000000, or off";
export const accountsUrlRule =
  "must be an origin such as https://accounts.example: a scheme, a host and optionally a port, without a path or a slash at the end";
export const mcpUrlRule =
  "must be an origin such as https://mcp.example: a scheme, a host and optionally a port, without /mcp or a slash at the end";
export const tenantRule =
  "must be the id of a tenant: 1 to 128 letters, digits or . _ : -, starting with a letter or digit";
const cellRule = "must be the name of a cell: 1 to 32 small letters, digits or -, starting with a letter or digit";
export const addressHeaderRule = "must be the name of a header such as X-Forwarded-For";
export const contactRule = "must be a mailto:, https: or tel: URI";

export const hostPattern = /^(?:[A-Za-z0-9.-]{1,253}|[0-9A-Fa-f:.]{2,45})$/;
export const host = z.string(hostRule).regex(hostPattern, hostRule);
export const port = z
  .string(portRule)
  .regex(/^[0-9]{1,5}$/, portRule)
  .transform(Number)
  .refine((number) => number <= 65_535, portRule);
export const cellName = z.string(cellRule).regex(/^[a-z0-9][a-z0-9-]{0,31}$/, cellRule);
export const tenantName = z.string(tenantRule).regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, tenantRule);
export const plainUrl = z.string(urlRule).refine(isPlainUrl, urlRule);
/** A PostgreSQL URL with a host and a database. */
export const databaseUrl = z.string(databaseUrlRule).refine(isDatabaseUrl, databaseUrlRule);
export const audience = z.string(audienceRule).regex(/^[\x21-\x7e]{1,256}$/, audienceRule);
/** A number of at least 1; `off` means no limit. */
export const countOrOff = z
  .string(countRule)
  .regex(/^(?:off|[1-9][0-9]{0,5}|1000000)$/, countRule)
  .transform((value) => (value === "off" ? Number.POSITIVE_INFINITY : Number(value)));
export const onOrOff = z.enum(["on", "off"], "must be on or off").transform((value) => value === "on");
const secondsRule = "must be a whole number from 0 to 3600";
/** A number of seconds, in milliseconds. */
export const seconds = z
  .string(secondsRule)
  .regex(/^(?:[0-9]{1,3}|[12][0-9]{3}|3[0-5][0-9]{2}|3600)$/, secondsRule)
  .transform((value) => Number(value) * 1000);
const shareRule = "must be a number from 0 to 1, such as 0.01";
export const share = z
  .string(shareRule)
  .regex(/^(?:0|1|0\.[0-9]{1,6}|1\.0{1,6})$/, shareRule)
  .transform(Number);

function isPlainUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "" && !/[?#\s]/.test(value);
}

function isDatabaseUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^postgres(?:ql)?:$/.test(url.protocol) && url.hostname !== "" && url.pathname.length > 1;
}

export function isOrigin(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === value;
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

/** Whether a value is an IP address, or a range of them in CIDR notation. */
export function isAddressRange(value: string): boolean {
  const [, address = "", bits = "0"] = /^([^/]*)(?:\/([0-9]{1,3}))?$/.exec(value) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
}
