import { resolve } from "node:path";
import type { Limits } from "@platform-rpc/server/host";
import type * as z from "zod";
import { conflicts, type SettingIssue } from "./conflicts.js";
import { settingsSchema } from "./schema.js";
import { isLoopback, type logLevels } from "./values.js";

/** The tenant of the demo, whose people sign in unless ACCOUNTS_TENANT is set. */
export const demoTenant = "demo";

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
  readonly accountsHost: string;
  readonly accountsPort: number;
  /** The origin at which browsers reach the accounts listener. Undefined: see `accountsUrls`. */
  readonly accountsUrl: string | undefined;
  /** The tenant whose people sign in at the accounts listener. Undefined: the accounts listener does not start. */
  readonly accountsTenant: string | undefined;
  /** Whether people may create accounts at the accounts listener. */
  readonly accountsSignUp: boolean;
  /** The header with the client's network address that the proxy of the accounts listener sets. Undefined: there is no proxy. */
  readonly accountsAddressHeader: string | undefined;
  /** The maximum number of simultaneous connections of the accounts listener. */
  readonly accountsConnections: number;
  readonly mcpHost: string;
  readonly mcpPort: number;
  /** The origin at which MCP clients reach the MCP listener. Undefined: `mcpHost` at its port. */
  readonly mcpUrl: string | undefined;
  /** Whether OAuth clients may register by a client metadata document. */
  readonly clientIdMetadata: boolean;
  /** The path of the file with the public keys of the brokers that may introspect tokens; absolute. Undefined: no broker may. */
  readonly brokersFile: string | undefined;
  /** The URL at which callers reach the public listener, without a trailing slash. Undefined: at `host` and `port`. */
  readonly publicUrl: string | undefined;
  /** The path of `publicUrl`, a prefix of every public path. Empty if it has no path. */
  readonly basePath: string;
  /** The URL of the documentation, without a trailing slash, if another server has it. Undefined: the public listener serves it. */
  readonly docsUrl: string | undefined;
  /** An absolute path. */
  readonly dataDir: string;
  /** The URL of the PostgreSQL database. It may contain a password. Undefined: SQLite in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** The name of the cell of which this process is a part. Undefined: it serves every tenant. */
  readonly cell: string | undefined;
  /** An absolute path. */
  readonly keysFile: string;
  /** The path of the file with what this process last knew of its database; absolute. */
  readonly witnessFile: string;
  /** The id of lost keys that new ones may replace. */
  readonly replaceKeys: string | undefined;
  readonly issuer: string;
  readonly audience: string;
  readonly brokerAudience: string;
  readonly corsOrigins: readonly string[];
  readonly rateLimits: boolean;
  /** The addresses of proxies, and ranges of them, whose connections stand for many callers. */
  readonly trustedProxies: readonly string[];
  /** The limits of all listeners; `connections` is that of the public one. */
  readonly limits: Pick<
    Limits,
    "connections" | "connectionsPerAddress" | "callsInFlight" | "callsInFlightPerPrincipal" | "writeTimeoutMs"
  >;
  /** The maximum number of bytes of unread responses, of all listeners together. */
  readonly unreadBytes: number;
  /** The URI for vulnerability reports. Undefined: no security.txt is served. */
  readonly securityContact: string | undefined;
  readonly demo: boolean;
  /** The time between failing readiness and closing the listeners, in milliseconds. */
  readonly drainDelayMs: number;
  /** The part of the successful requests that is logged, from 0 to 1. */
  readonly logSuccesses: number;
  /** The base URL of the receiver of traces (OTLP over HTTP). Undefined: calls are not traced. */
  readonly tracesEndpoint: string | undefined;
  /** The part of the traces that is recorded, from 0 to 1, where the caller has not decided. */
  readonly tracesRatio: number;
  /** Undefined: warnings and errors on a terminal, otherwise everything from `info`. */
  readonly logLevel: (typeof logLevels)[number] | undefined;
}

/** Thrown when the environment contains invalid settings. The message lists all of them. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";

  readonly issues: readonly SettingIssue[];

  constructor(issues: readonly SettingIssue[]) {
    super(["Invalid settings:", ...issues.map(({ setting, rule }) => `  ${setting} ${rule}`)].join("\n"));
    this.issues = issues;
  }
}

/**
 * Reads the settings from the environment. Treats an empty variable as not set, and ignores unknown variables.
 *
 * @throws SettingsError that lists all issues.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const read = settingsSchema.safeParse(given);
  const issues = [...(read.error?.issues.map(issueOf) ?? []), ...conflicts(given)];
  if (!read.success || issues.length > 0) throw new SettingsError(issues);
  const { HOST, INTERNAL_HOST, PUBLIC_URL, DOCS_URL, DATA_DIR, DATABASE_URL, KEYS_FILE, WITNESS_FILE, BROKERS_FILE } =
    read.data;
  const dataDir = resolve(DATA_DIR);
  // Off by default when others can reach the public listener or its database: anyone could then delete the demo's items.
  const demo = read.data.DEMO ?? (isLoopback(HOST) && PUBLIC_URL === undefined && DATABASE_URL === undefined);
  return {
    host: HOST,
    port: read.data.PORT,
    internalHost: INTERNAL_HOST,
    internalPort: read.data.INTERNAL_PORT,
    internalHosts: ["localhost", "127.0.0.1", "::1", INTERNAL_HOST, ...read.data.INTERNAL_HOSTS],
    internalConnections: read.data.INTERNAL_MAX_CONNECTIONS,
    accountsHost: read.data.ACCOUNTS_HOST,
    accountsPort: read.data.ACCOUNTS_PORT,
    accountsUrl: read.data.ACCOUNTS_URL,
    accountsTenant: read.data.ACCOUNTS_TENANT ?? (demo ? demoTenant : undefined),
    // Off by default when others can reach the listener: anyone could then become a principal of the tenant.
    accountsSignUp:
      read.data.ACCOUNTS_SIGN_UP ?? (isLoopback(read.data.ACCOUNTS_HOST) && read.data.ACCOUNTS_URL === undefined),
    // Off by default: the load of the platform concerns its operator.
    accountsAddressHeader: read.data.ACCOUNTS_ADDRESS_HEADER,
    accountsConnections: read.data.ACCOUNTS_MAX_CONNECTIONS,
    mcpHost: read.data.MCP_HOST,
    mcpPort: read.data.MCP_PORT,
    mcpUrl: read.data.MCP_URL,
    // Off by default: an operator decides whether clients need an administrator.
    clientIdMetadata: read.data.CLIENT_ID_METADATA ?? demo,
    brokersFile: BROKERS_FILE === undefined ? undefined : resolve(BROKERS_FILE),
    publicUrl: PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL).href.replace(/\/+$/, ""),
    basePath: PUBLIC_URL === undefined ? "" : new URL(PUBLIC_URL).pathname.replace(/\/+$/, ""),
    docsUrl: DOCS_URL === undefined ? undefined : new URL(DOCS_URL).href.replace(/\/+$/, ""),
    dataDir,
    databaseUrl: DATABASE_URL,
    cell: read.data.CELL,
    keysFile: KEYS_FILE === undefined ? resolve(dataDir, "keys.json") : resolve(KEYS_FILE),
    witnessFile: WITNESS_FILE === undefined ? resolve(dataDir, "witness.json") : resolve(WITNESS_FILE),
    replaceKeys: read.data.REPLACE_KEYS,
    issuer: read.data.ISSUER,
    audience: read.data.AUDIENCE,
    brokerAudience: read.data.BROKER_AUDIENCE,
    corsOrigins: read.data.CORS_ORIGINS,
    rateLimits: read.data.RATE_LIMITS,
    trustedProxies: read.data.TRUSTED_PROXIES,
    limits: {
      connections: read.data.MAX_CONNECTIONS,
      connectionsPerAddress: read.data.MAX_CONNECTIONS_PER_ADDRESS,
      callsInFlight: read.data.MAX_IN_FLIGHT,
      callsInFlightPerPrincipal: read.data.MAX_IN_FLIGHT_PER_PRINCIPAL,
      writeTimeoutMs: read.data.WRITE_TIMEOUT_SECONDS * 1000,
    },
    unreadBytes: read.data.MAX_UNREAD_MEGABYTES * 1024 * 1024,
    securityContact: read.data.SECURITY_CONTACT,
    demo,
    // Others reach the app through a load balancer, which needs time to notice that readiness fails.
    drainDelayMs: read.data.DRAIN_DELAY_SECONDS ?? (isLoopback(HOST) ? 0 : 5_000),
    logSuccesses: read.data.LOG_SUCCESSES,
    tracesEndpoint: read.data.OTEL_EXPORTER_OTLP_ENDPOINT,
    tracesRatio: read.data.OTEL_TRACES_SAMPLER_ARG,
    logLevel: read.data.LOG_LEVEL,
  };
}

function issueOf({ path, message }: z.core.$ZodIssue): SettingIssue {
  return { setting: path.join("."), rule: message };
}
