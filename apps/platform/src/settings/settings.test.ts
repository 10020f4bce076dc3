import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readSettings, SettingsError } from "./settings.js";

function invalidSettings(environment: Record<string, string>): string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.issues.map(({ setting }) => setting);
    throw error;
  }
}

describe("settings", () => {
  it("have a default for everything: the demo on this machine", () => {
    expect(readSettings({})).toMatchObject({
      host: "127.0.0.1",
      internalHost: "127.0.0.1",
      internalHosts: ["localhost", "127.0.0.1", "::1", "127.0.0.1"],
      accountsHost: "127.0.0.1",
      accountsTenant: "demo",
      accountsSignUp: true,
      clientIdMetadata: true,
      mcpHost: "127.0.0.1",
      dataDir: resolve("data"),
      keysFile: resolve("data/keys.json"),
      witnessFile: resolve("data/witness.json"),
      rateLimits: true,
      limits: { connectionsPerAddress: Number.POSITIVE_INFINITY, writeTimeoutMs: 10_000 },
      unreadBytes: 256 * 1024 * 1024,
      demo: true,
      drainDelayMs: 0,
    });
  });

  it.each([
    [{ PORT: "0" }, { port: 0 }],
    [{ PUBLIC_URL: "https://api.example/v/" }, { publicUrl: "https://api.example/v", basePath: "/v" }],
    [{ DATA_DIR: "/srv/data" }, { dataDir: "/srv/data", keysFile: "/srv/data/keys.json" }],
    [
      { CORS_ORIGINS: "https://a.example, http://localhost:5173" },
      { corsOrigins: ["https://a.example", "http://localhost:5173"] },
    ],
    [{ RATE_LIMITS: "off" }, { rateLimits: false }],
    [
      { TRUSTED_PROXIES: "192.0.2.1, 10.0.0.0/8,fd00::/8" },
      { trustedProxies: ["192.0.2.1", "10.0.0.0/8", "fd00::/8"] },
    ],
    [{ DEMO: "off" }, { demo: false, accountsTenant: undefined }],
    [{ DEMO: "off", ACCOUNTS_TENANT: "acme" }, { accountsTenant: "acme" }],
    [{ ACCOUNTS_URL: "https://accounts.example" }, { accountsUrl: "https://accounts.example", accountsSignUp: false }],
    [{ ACCOUNTS_HOST: "0.0.0.0" }, { accountsSignUp: false }],
    [{ ACCOUNTS_SIGN_UP: "off" }, { accountsSignUp: false }],
    [{ DEMO: "off" }, { clientIdMetadata: false }],
    [{ PUBLIC_URL: "https://api.example" }, { clientIdMetadata: false }],
    [{ CLIENT_ID_METADATA: "off" }, { demo: true, clientIdMetadata: false }],
    [
      { MCP_URL: "https://mcp.example", MCP_PORT: "9083" },
      { mcpUrl: "https://mcp.example", mcpPort: 9083 },
    ],
    [{ ACCOUNTS_URL: "http://localhost:9000" }, { accountsUrl: "http://localhost:9000" }],
    [{ ACCOUNTS_URL: "http://accounts.localhost:9000" }, { accountsUrl: "http://accounts.localhost:9000" }],
    [{ HOST: "0.0.0.0" }, { demo: false, drainDelayMs: 5_000 }],
    [{ HOST: "0.0.0.0", DRAIN_DELAY_SECONDS: "0" }, { drainDelayMs: 0 }],
    [{ DRAIN_DELAY_SECONDS: "3600" }, { drainDelayMs: 3_600_000 }],
    [{ LOG_SUCCESSES: "0.01" }, { logSuccesses: 0.01 }],
    [{ HOST: "::1" }, { demo: true }],
    [{ PUBLIC_URL: "https://api.example" }, { demo: false }],
    [{ DATABASE_URL: "postgres://localhost/platform" }, { demo: false }],
    [{ PUBLIC_URL: "https://api.example", DEMO: "on" }, { demo: true }],
    [{ INTERNAL_HOST: "0.0.0.0", INTERNAL_EXPOSE: "yes" }, { internalHost: "0.0.0.0" }],
    [
      { INTERNAL_HOSTS: "platform.internal, 10.0.0.7" },
      { internalHosts: ["localhost", "127.0.0.1", "::1", "127.0.0.1", "platform.internal", "10.0.0.7"] },
    ],
    [
      { MAX_CONNECTIONS: "off", MAX_CONNECTIONS_PER_ADDRESS: "50" },
      { limits: { connections: Number.POSITIVE_INFINITY, connectionsPerAddress: 50 } },
    ],
    [{ MAX_UNREAD_MEGABYTES: "90" }, { unreadBytes: 90 * 1024 * 1024 }],
    [
      { MAX_IN_FLIGHT: "2", MAX_IN_FLIGHT_PER_PRINCIPAL: "1", WRITE_TIMEOUT_SECONDS: "3" },
      { limits: { callsInFlight: 2, callsInFlightPerPrincipal: 1, writeTimeoutMs: 3_000 } },
    ],
    [{ UNKNOWN: "ignored" }, {}],
  ])("%j gives %j", (environment, expected) => {
    expect(readSettings(environment)).toMatchObject(expected);
  });

  it.each([
    [{ HOST: "http://x" }, ["HOST"]],
    [{ REPLACE_KEYS: "yes" }, ["REPLACE_KEYS"]],
    [{ PORT: "80a" }, ["PORT"]],
    [{ DRAIN_DELAY_SECONDS: "3601" }, ["DRAIN_DELAY_SECONDS"]],
    [{ LOG_SUCCESSES: "1.5" }, ["LOG_SUCCESSES"]],
    [{ PORT: "65536" }, ["PORT"]],
    [{ ACCOUNTS_ADDRESS_HEADER: "X-Real-IP: 1" }, ["ACCOUNTS_ADDRESS_HEADER"]],
    [{ INTERNAL_HOST: "0.0.0.0" }, ["INTERNAL_HOST"]],
    [{ INTERNAL_HOST: "192.0.2.1", INTERNAL_EXPOSE: "no" }, ["INTERNAL_HOST"]],
    [{ INTERNAL_EXPOSE: "true" }, ["INTERNAL_EXPOSE"]],
    [{ INTERNAL_HOSTS: "http://x" }, ["INTERNAL_HOSTS"]],
    [{ TRUSTED_PROXIES: "proxy.example" }, ["TRUSTED_PROXIES"]],
    [{ TRUSTED_PROXIES: "10.0.0.0/33" }, ["TRUSTED_PROXIES"]],
    [{ MAX_CONNECTIONS: "0" }, ["MAX_CONNECTIONS"]],
    [{ MAX_IN_FLIGHT_PER_PRINCIPAL: "1000001" }, ["MAX_IN_FLIGHT_PER_PRINCIPAL"]],
    [{ SECURITY_CONTACT: "security@example.com" }, ["SECURITY_CONTACT"]],
    [{ SECURITY_CONTACT: "https://x\nEncryption: y" }, ["SECURITY_CONTACT"]],
    [{ PORT: "8081" }, ["INTERNAL_PORT"]],
    [{ PUBLIC_URL: "ftp://api.example" }, ["PUBLIC_URL"]],
    [{ PUBLIC_URL: "https://user:pw@api.example" }, ["PUBLIC_URL"]],
    [{ PUBLIC_URL: "https://api.example/?a=b" }, ["PUBLIC_URL"]],
    [{ DATABASE_URL: "mysql://localhost/x" }, ["DATABASE_URL"]],
    [{ DATABASE_URL: "postgres://localhost" }, ["DATABASE_URL"]],
    [{ CELL: "a" }, ["CELL"]],
    [{ CELL: "Cell 1", DATABASE_URL: "postgres://db/x" }, ["CELL"]],
    [{ AUDIENCE: "a b" }, ["AUDIENCE"]],
    [{ AUDIENCE: "https://platform.example/broker" }, ["BROKER_AUDIENCE"]],
    [{ AUDIENCE: "https://Platform.example/broker/" }, ["BROKER_AUDIENCE"]],
    [{ PORT: "8082" }, ["ACCOUNTS_PORT"]],
    [{ MCP_PORT: "8080" }, ["MCP_PORT"]],
    [{ MCP_URL: "https://mcp.example/mcp" }, ["MCP_URL"]],
    [{ MCP_URL: "http://mcp.example" }, ["MCP_URL"]],
    [{ MCP_URL: "https://platform.example", AUDIENCE: "https://platform.example/mcp/" }, ["MCP_URL"]],
    [{ MCP_URL: "https://platform.example", PUBLIC_URL: "https://platform.example/mcp" }, ["MCP_URL"]],
    [{ ACCOUNTS_URL: "http://accounts.example" }, ["ACCOUNTS_URL"]],
    [{ ACCOUNTS_URL: "http://accounts.localhost.example" }, ["ACCOUNTS_URL"]],
    [{ ACCOUNTS_URL: "https://192.0.2.1" }, ["ACCOUNTS_URL"]],
    [{ ACCOUNTS_URL: "http://127.0.0.1:8082" }, ["ACCOUNTS_URL"]],
    [{ ACCOUNTS_TENANT: "a tenant" }, ["ACCOUNTS_TENANT"]],
    [{ CORS_ORIGINS: "*" }, ["CORS_ORIGINS"]],
    [{ CORS_ORIGINS: "https://a.example/" }, ["CORS_ORIGINS"]],
    [{ DEMO: "yes" }, ["DEMO"]],
    [{ LOG_LEVEL: "loud" }, ["LOG_LEVEL"]],
    [{ PORT: "x", DEMO: "x", DATABASE_URL: "x" }, ["PORT", "DATABASE_URL", "DEMO"]],
  ])("%j is rejected, and every issue is listed", (environment, settings) => {
    expect(invalidSettings(environment)).toEqual(settings);
  });

  it("are rejected with one message that states the rules and repeats no value", () => {
    const secret = "mysql://user:hunter2@db/x";
    expect(() => readSettings({ DATABASE_URL: secret, PORT: "hunter2" })).toThrow(
      /^Invalid settings:\n {2}PORT must be .*\n {2}DATABASE_URL must be a URL such as postgres:.*SQLite/,
    );
    expect(() => readSettings({ DATABASE_URL: secret, PORT: "hunter2" })).not.toThrow(/hunter2/);
  });
});
