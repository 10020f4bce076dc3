import { resolve } from "node:path";
import { defaultLimits, type Limits } from "@platform-rpc/server";
import * as z from "zod";

/** The settings of the app: the environment, with defaults applied. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly internalHost: string;
  readonly internalPort: number;
  /** The hosts that the Host header of a request to the internal listener may contain. */
  readonly internalHosts: readonly string[];
  /** The maximum number of simultaneous connections of the internal listener. */
  readonly internalConnections: number;
  /** The URL at which callers reach the public listener, without a trailing slash. Undefined: at `host` and `port`. */
  readonly publicUrl: string | undefined;
  /** The path of `publicUrl`, a prefix of every public path. Empty if it has no path. */
  readonly basePath: string;
  /** An absolute path. */
  readonly dataDir: string;
  /** An absolute path. */
  readonly keysFile: string;
  /** The id of lost keys that new ones may replace. */
  readonly replaceKeys: string | undefined;
  readonly issuer: string;
  readonly audience: string;
  readonly brokerAudience: string;
  readonly corsOrigins: readonly string[];
  /** Whether the storage runs in a separate thread. `auto`: with more than one core or more than one worker. */
  readonly storageThread: "auto" | "on" | "off";
  readonly rateLimits: boolean;
  /** The limits of both listeners; `connections` is that of the public one. */
  readonly limits: Pick<
    Limits,
    "connections" | "connectionsPerAddress" | "callsInFlight" | "callsInFlightPerPrincipal" | "writeTimeoutMs"
  >;
  /** The number of threads that serve the public listener. 1: the main thread serves it. */
  readonly workers: number;
  /** The URI for vulnerability reports. Undefined: no security.txt is served. */
  readonly securityContact: string | undefined;
  readonly demo: boolean;
  readonly logLevel: (typeof logLevels)[number];
}

/** An invalid setting. */
export interface SettingIssue {
  /** The name of the variable. */
  readonly setting: string;
  /** The rule that the value breaks. Never the value itself: it may contain a secret. */
  readonly rule: string;
}

/** Thrown when the environment contains invalid settings. The message lists all of them. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";

  constructor(readonly issues: readonly SettingIssue[]) {
    super(["Invalid settings:", ...issues.map(({ setting, rule }) => `  ${setting} ${rule}`)].join("\n"));
  }
}

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const defaults = {
  host: "127.0.0.1",
  port: 8080,
  internalPort: 8081,
  internalConnections: 256,
  issuer: "https://platform.example",
  audience: "https://platform.example/api",
  brokerAudience: "https://platform.example/broker",
} as const;

const hostRule = "must be a host name or an IP address, without a port";
const portRule = "must be a whole number from 0 to 65535; 0 selects a free port";
const urlRule = "must be an http or https URL without credentials, query or fragment";
const audienceRule = "must be 1 to 256 visible ASCII characters";
const keysIdRule = "must be the id of the keys to replace: 16 hexadecimal digits, printed by the start that failed";
const originsRule = "must be origins such as https://app.example, separated by commas; wildcards are not supported";

const hostsRule = "must be host names or IP addresses without ports, separated by commas";
const countRule = "must be a whole number from 1 to 1000000, or off";
const workersRule = "must be a whole number from 1 to 64";
const contactRule = "must be a mailto:, https: or tel: URI";

const hostPattern = /^(?:[A-Za-z0-9.-]{1,253}|[0-9A-Fa-f:.]{2,45})$/;
const host = z.string(hostRule).regex(hostPattern, hostRule);
const port = z
  .string(portRule)
  .regex(/^[0-9]{1,5}$/, portRule)
  .transform(Number)
  .refine((number) => number <= 65_535, portRule);
const plainUrl = z.string(urlRule).refine(isPlainUrl, urlRule);
const audience = z.string(audienceRule).regex(/^[\x21-\x7e]{1,256}$/, audienceRule);
/** A number of at least 1; `off` means no limit. */
const countOrOff = z
  .string(countRule)
  .regex(/^(?:off|[1-9][0-9]{0,5}|1000000)$/, countRule)
  .transform((value) => (value === "off" ? Number.POSITIVE_INFINITY : Number(value)));
const onOrOff = z.enum(["on", "off"], "must be on or off").transform((value) => value === "on");

const schema = z.object({
  HOST: host.default(defaults.host),
  PORT: port.default(defaults.port),
  INTERNAL_HOST: host.default(defaults.host),
  INTERNAL_PORT: port.default(defaults.internalPort),
  INTERNAL_EXPOSE: z.enum(["yes", "no"], "must be yes or no").default("no"),
  INTERNAL_HOSTS: z
    .string()
    .transform((list) => list.split(",").map((name) => name.trim()))
    .refine((names) => names.every((name) => hostPattern.test(name)), hostsRule)
    .default([]),
  INTERNAL_MAX_CONNECTIONS: countOrOff.default(defaults.internalConnections),
  PUBLIC_URL: plainUrl.optional(),
  DATA_DIR: z.string().default("./data"),
  DATABASE_URL: z.never("must not be set: this build supports only SQLite, in DATA_DIR").optional(),
  KEYS_FILE: z.string().optional(),
  REPLACE_KEYS: z
    .string(keysIdRule)
    .regex(/^[0-9a-f]{16}$/, keysIdRule)
    .optional(),
  ISSUER: plainUrl.default(defaults.issuer),
  AUDIENCE: audience.default(defaults.audience),
  BROKER_AUDIENCE: audience.default(defaults.brokerAudience),
  CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(",").map((origin) => origin.trim()))
    .refine((origins) => origins.every(isOrigin), originsRule)
    .default([]),
  STORAGE_THREAD: z.enum(["auto", "on", "off"], "must be auto, on or off").default("auto"),
  RATE_LIMITS: onOrOff.default(true),
  MAX_CONNECTIONS: countOrOff.default(defaultLimits.connections),
  MAX_CONNECTIONS_PER_ADDRESS: countOrOff.default(defaultLimits.connectionsPerAddress),
  MAX_IN_FLIGHT: countOrOff.default(defaultLimits.callsInFlight),
  MAX_IN_FLIGHT_PER_PRINCIPAL: countOrOff.default(defaultLimits.callsInFlightPerPrincipal),
  WRITE_TIMEOUT_SECONDS: countOrOff.default(defaultLimits.writeTimeoutMs / 1000),
  WORKERS: z
    .string(workersRule)
    .regex(/^(?:[1-9]|[1-5][0-9]|6[0-4])$/, workersRule)
    .transform(Number)
    .default(1),
  SECURITY_CONTACT: z
    .string(contactRule)
    .regex(/^(?:mailto:|https:\/\/|tel:)[\x21-\x7e]{1,500}$/, contactRule)
    .optional(),
  DEMO: onOrOff.optional(),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(", ")}`).default("info"),
});

/**
 * Reads the settings from the environment. Treats an empty variable as not set, and ignores unknown variables.
 *
 * @throws SettingsError that lists all issues.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const read = schema.safeParse(given);
  const issues = [...(read.error?.issues.map(issueOf) ?? []), ...conflicts(given)];
  if (!read.success || issues.length > 0) throw new SettingsError(issues);
  const { HOST, INTERNAL_HOST, PUBLIC_URL, DATA_DIR, KEYS_FILE, DEMO } = read.data;
  const dataDir = resolve(DATA_DIR);
  return {
    host: HOST,
    port: read.data.PORT,
    internalHost: INTERNAL_HOST,
    internalPort: read.data.INTERNAL_PORT,
    internalHosts: ["localhost", "127.0.0.1", "::1", INTERNAL_HOST, ...read.data.INTERNAL_HOSTS],
    internalConnections: read.data.INTERNAL_MAX_CONNECTIONS,
    publicUrl: PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL).href.replace(/\/+$/, ""),
    basePath: PUBLIC_URL === undefined ? "" : new URL(PUBLIC_URL).pathname.replace(/\/+$/, ""),
    dataDir,
    keysFile: KEYS_FILE === undefined ? resolve(dataDir, "keys.json") : resolve(KEYS_FILE),
    replaceKeys: read.data.REPLACE_KEYS,
    issuer: read.data.ISSUER,
    audience: read.data.AUDIENCE,
    brokerAudience: read.data.BROKER_AUDIENCE,
    corsOrigins: read.data.CORS_ORIGINS,
    storageThread: read.data.STORAGE_THREAD,
    rateLimits: read.data.RATE_LIMITS,
    limits: {
      connections: read.data.MAX_CONNECTIONS,
      connectionsPerAddress: read.data.MAX_CONNECTIONS_PER_ADDRESS,
      callsInFlight: read.data.MAX_IN_FLIGHT,
      callsInFlightPerPrincipal: read.data.MAX_IN_FLIGHT_PER_PRINCIPAL,
      writeTimeoutMs: read.data.WRITE_TIMEOUT_SECONDS * 1000,
    },
    workers: read.data.WORKERS,
    securityContact: read.data.SECURITY_CONTACT,
    // Off by default when others can reach the public listener: anyone could then delete the demo's items.
    demo: DEMO ?? (isLoopback(HOST) && PUBLIC_URL === undefined),
    logLevel: read.data.LOG_LEVEL,
  };
}

/** Returns the conflicts between settings that may each be valid. */
function conflicts(given: Readonly<Record<string, string | undefined>>): SettingIssue[] {
  const { HOST = defaults.host, INTERNAL_HOST = defaults.host, INTERNAL_EXPOSE, STORAGE_THREAD, WORKERS } = given;
  const { PORT = defaults.port, INTERNAL_PORT = defaults.internalPort } = given;
  const { AUDIENCE = defaults.audience, BROKER_AUDIENCE = defaults.brokerAudience } = given;
  const issues: SettingIssue[] = [];
  if (HOST === INTERNAL_HOST && Number(PORT) === Number(INTERNAL_PORT) && Number(PORT) !== 0) {
    issues.push({ setting: "INTERNAL_PORT", rule: "must differ from PORT: each listener needs its own port" });
  }
  if (host.safeParse(INTERNAL_HOST).success && !isLoopback(INTERNAL_HOST) && INTERNAL_EXPOSE !== "yes") {
    const rule = "must be a loopback address such as 127.0.0.1, unless INTERNAL_EXPOSE is yes";
    issues.push({ setting: "INTERNAL_HOST", rule });
  }
  if (Number(WORKERS) > 1 && STORAGE_THREAD === "off") {
    issues.push({
      setting: "STORAGE_THREAD",
      rule: "must be auto or on if WORKERS is above 1: the workers share its thread",
    });
  }
  if (Number(WORKERS) > 1 && process.platform !== "linux") {
    issues.push({ setting: "WORKERS", rule: "must be 1 on this system: more workers need Linux" });
  }
  if (AUDIENCE === BROKER_AUDIENCE) {
    issues.push({
      setting: "BROKER_AUDIENCE",
      rule: "must differ from AUDIENCE: broker tokens are not valid for this API",
    });
  }
  return issues;
}

function issueOf({ path, message }: z.core.$ZodIssue): SettingIssue {
  return { setting: path.join("."), rule: message };
}

function isPlainUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "" && !/[?#\s]/.test(value);
}

function isOrigin(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === value;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}
