import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readSettings, SettingsError } from "./settings.js";

function faultsOf(environment: Record<string, string>): string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults.map(({ setting }) => setting);
    throw error;
  }
}

describe("settings", () => {
  it("have a default for everything", () => {
    expect(readSettings({})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      internalHost: "127.0.0.1",
      internalPort: 8081,
      publicUrl: undefined,
      basePath: "",
      dataDir: resolve("data"),
      keysFile: resolve("data/keys.json"),
      replaceKeys: undefined,
      issuer: "https://platform.example",
      audience: "https://platform.example/api",
      brokerAudience: "https://platform.example/broker",
      corsOrigins: [],
      rateLimits: true,
      demo: true,
      logLevel: "info",
    });
  });

  it.each([
    [{ PORT: "" }, { port: 8080 }],
    [{ PORT: "0" }, { port: 0 }],
    [{ PUBLIC_URL: "https://api.example/v/" }, { publicUrl: "https://api.example/v", basePath: "/v" }],
    [{ PUBLIC_URL: "https://api.example/" }, { publicUrl: "https://api.example", basePath: "" }],
    [{ DATA_DIR: "/srv/data" }, { dataDir: "/srv/data", keysFile: "/srv/data/keys.json" }],
    [{ KEYS_FILE: "/run/keys.json" }, { keysFile: "/run/keys.json" }],
    [
      { CORS_ORIGINS: "https://a.example, http://localhost:5173" },
      { corsOrigins: ["https://a.example", "http://localhost:5173"] },
    ],
    [{ REPLACE_KEYS: "0123456789abcdef" }, { replaceKeys: "0123456789abcdef" }],
    [{ RATE_LIMITS: "off" }, { rateLimits: false }],
    [{ DEMO: "off" }, { demo: false }],
    [{ HOST: "0.0.0.0" }, { demo: false }],
    [{ HOST: "0.0.0.0", DEMO: "on" }, { demo: true }],
    [{ HOST: "::1" }, { demo: true }],
    [{ HOST: "localhost" }, { demo: true }],
    [{ LOG_LEVEL: "trace" }, { logLevel: "trace" }],
    [{ UNKNOWN: "ignored" }, {}],
  ])("%j gives %j", (environment, expected) => {
    expect(readSettings(environment)).toMatchObject(expected);
  });

  it.each([
    [{ HOST: "http://x" }, ["HOST"]],
    [{ REPLACE_KEYS: "yes" }, ["REPLACE_KEYS"]],
    [{ PORT: "80a" }, ["PORT"]],
    [{ PORT: "65536" }, ["PORT"]],
    [{ PORT: "-1" }, ["PORT"]],
    [{ INTERNAL_HOST: "a b" }, ["INTERNAL_HOST"]],
    [{ INTERNAL_PORT: "1.5" }, ["INTERNAL_PORT"]],
    [{ PORT: "8081" }, ["INTERNAL_PORT"]],
    [{ PORT: "8081", INTERNAL_HOST: "127.0.0.1" }, ["INTERNAL_PORT"]],
    [{ PUBLIC_URL: "ftp://api.example" }, ["PUBLIC_URL"]],
    [{ PUBLIC_URL: "https://user:pw@api.example" }, ["PUBLIC_URL"]],
    [{ PUBLIC_URL: "https://api.example/?a=b" }, ["PUBLIC_URL"]],
    [{ DATABASE_URL: "postgres://localhost/x" }, ["DATABASE_URL"]],
    [{ ISSUER: "platform" }, ["ISSUER"]],
    [{ AUDIENCE: "a b" }, ["AUDIENCE"]],
    [{ AUDIENCE: "https://platform.example/broker" }, ["BROKER_AUDIENCE"]],
    [{ CORS_ORIGINS: "*" }, ["CORS_ORIGINS"]],
    [{ CORS_ORIGINS: "https://a.example/" }, ["CORS_ORIGINS"]],
    [{ RATE_LIMITS: "no" }, ["RATE_LIMITS"]],
    [{ DEMO: "yes" }, ["DEMO"]],
    [{ LOG_LEVEL: "loud" }, ["LOG_LEVEL"]],
    [{ PORT: "x", DEMO: "x", DATABASE_URL: "x" }, ["PORT", "DATABASE_URL", "DEMO"]],
    [{ LOG_LEVEL: "x", PORT: "9", INTERNAL_PORT: "9" }, ["LOG_LEVEL", "INTERNAL_PORT"]],
  ])("%j is refused, and every fault is named", (environment, settings) => {
    expect(faultsOf(environment)).toEqual(settings);
  });

  it("are refused in one message that says what is allowed and repeats no value", () => {
    const secret = "postgres://user:hunter2@db/x";
    expect(() => readSettings({ DATABASE_URL: secret, PORT: "hunter2" })).toThrow(
      /^The settings cannot be used:\n {2}PORT must be .*\n {2}DATABASE_URL must not be set: .*SQLite/,
    );
    expect(() => readSettings({ DATABASE_URL: secret, PORT: "hunter2" })).not.toThrow(/hunter2/);
  });
});
