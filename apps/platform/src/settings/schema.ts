import { defaultLimits } from "@platform-rpc/server/host";
import * as z from "zod";
import {
  accountsUrlRule,
  addressesRule,
  addressHeaderRule,
  audience,
  cellName,
  contactRule,
  countOrOff,
  databaseUrl,
  host,
  hostPattern,
  hostsRule,
  isAddressRange,
  isOrigin,
  keysIdRule,
  logLevels,
  mcpUrlRule,
  onOrOff,
  originsRule,
  plainUrl,
  port,
  seconds,
  share,
  tenantName,
} from "./values.js";

/** Defaults that also matter for conflicts between settings. */
export const defaults = {
  host: "127.0.0.1",
  port: 8080,
  internalPort: 8081,
  internalConnections: 256,
  accountsPort: 8082,
  accountsConnections: 1_000,
  mcpPort: 8083,
  unreadMegabytes: 256,
  issuer: "https://platform.example",
  audience: "https://platform.example/api",
  brokerAudience: "https://platform.example/broker",
} as const;

export const settingsSchema = z.object({
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
  ACCOUNTS_HOST: host.default(defaults.host),
  ACCOUNTS_PORT: port.default(defaults.accountsPort),
  ACCOUNTS_URL: z.string(accountsUrlRule).refine(isOrigin, accountsUrlRule).optional(),
  ACCOUNTS_TENANT: tenantName.optional(),
  ACCOUNTS_SIGN_UP: onOrOff.optional(),
  ACCOUNTS_ADDRESS_HEADER: z
    .string(addressHeaderRule)
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, addressHeaderRule)
    .optional(),
  ACCOUNTS_MAX_CONNECTIONS: countOrOff.default(defaults.accountsConnections),
  MCP_HOST: host.default(defaults.host),
  MCP_PORT: port.default(defaults.mcpPort),
  MCP_URL: z.string(mcpUrlRule).refine(isOrigin, mcpUrlRule).optional(),
  BROKERS_FILE: z.string().optional(),
  CLIENT_ID_METADATA: onOrOff.optional(),
  PUBLIC_URL: plainUrl.optional(),
  DOCS_URL: plainUrl.optional(),
  DATA_DIR: z.string().default("./data"),
  DATABASE_URL: databaseUrl.optional(),
  CELL: cellName.optional(),
  KEYS_FILE: z.string().optional(),
  WITNESS_FILE: z.string().optional(),
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
  RATE_LIMITS: onOrOff.default(true),
  TRUSTED_PROXIES: z
    .string()
    .transform((list) => list.split(",").map((address) => address.trim()))
    .refine((addresses) => addresses.every(isAddressRange), addressesRule)
    .default([]),
  MAX_CONNECTIONS: countOrOff.default(defaultLimits.connections),
  MAX_CONNECTIONS_PER_ADDRESS: countOrOff.default(defaultLimits.connectionsPerAddress),
  MAX_IN_FLIGHT: countOrOff.default(defaultLimits.callsInFlight),
  MAX_IN_FLIGHT_PER_PRINCIPAL: countOrOff.default(defaultLimits.callsInFlightPerPrincipal),
  MAX_UNREAD_MEGABYTES: countOrOff.default(defaults.unreadMegabytes),
  WRITE_TIMEOUT_SECONDS: countOrOff.default(defaultLimits.writeTimeoutMs / 1000),
  SECURITY_CONTACT: z
    .string(contactRule)
    .regex(/^(?:mailto:|https:\/\/|tel:)[\x21-\x7e]{1,500}$/, contactRule)
    .optional(),
  DEMO: onOrOff.optional(),
  DRAIN_DELAY_SECONDS: seconds.optional(),
  LOG_SUCCESSES: share.default(1),
  OTEL_EXPORTER_OTLP_ENDPOINT: plainUrl.optional(),
  OTEL_TRACES_SAMPLER_ARG: share.default(1),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(", ")}`).optional(),
});
