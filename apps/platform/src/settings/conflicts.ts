import { isSameResource } from "@platform-rpc/server/host";
import { mcpPath, mcpUrlAt } from "./mcp-url.js";
import { defaults } from "./schema.js";
import { host, isLoopback } from "./values.js";

export interface SettingIssue {
  /** The name of the variable. */
  readonly setting: string;
  /** The rule that the value breaks. Never the value itself: it may contain a secret. */
  readonly rule: string;
}

/** Returns the conflicts between settings that may each be valid. */
export function conflicts(given: Readonly<Record<string, string | undefined>>): SettingIssue[] {
  const { HOST = defaults.host, INTERNAL_HOST = defaults.host, INTERNAL_EXPOSE } = given;
  const { PORT = defaults.port, INTERNAL_PORT = defaults.internalPort } = given;
  const { ACCOUNTS_HOST = defaults.host, ACCOUNTS_PORT = defaults.accountsPort, ACCOUNTS_URL } = given;
  const { MCP_HOST = defaults.host, MCP_PORT = defaults.mcpPort, MCP_URL, PUBLIC_URL } = given;
  const { AUDIENCE = defaults.audience, BROKER_AUDIENCE = defaults.brokerAudience, CELL, DATABASE_URL } = given;
  const issues: SettingIssue[] = [];
  const samePort = (one: unknown, two: unknown) => Number(one) === Number(two) && Number(one) !== 0;
  if (HOST === INTERNAL_HOST && samePort(PORT, INTERNAL_PORT)) {
    issues.push({ setting: "INTERNAL_PORT", rule: "must differ from PORT: each listener needs its own port" });
  }
  if (
    (ACCOUNTS_HOST === HOST && samePort(ACCOUNTS_PORT, PORT)) ||
    (ACCOUNTS_HOST === INTERNAL_HOST && samePort(ACCOUNTS_PORT, INTERNAL_PORT))
  ) {
    const rule = "must differ from PORT and INTERNAL_PORT: each listener needs its own port";
    issues.push({ setting: "ACCOUNTS_PORT", rule });
  }
  const others = [
    [HOST, PORT],
    [INTERNAL_HOST, INTERNAL_PORT],
    [ACCOUNTS_HOST, ACCOUNTS_PORT],
  ] as const;
  if (others.some(([otherHost, otherPort]) => MCP_HOST === otherHost && samePort(MCP_PORT, otherPort))) {
    const rule = "must differ from PORT, INTERNAL_PORT and ACCOUNTS_PORT: each listener needs its own port";
    issues.push({ setting: "MCP_PORT", rule });
  }
  const mcp = MCP_URL === undefined ? null : URL.parse(MCP_URL);
  if (mcp !== null && mcp.protocol !== "https:" && !isLoopback(mcp.hostname)) {
    issues.push({ setting: "MCP_URL", rule: "must begin with https: clients send their tokens there" });
  }
  const isMcp = (name = "") => mcp !== null && isSameResource(name, mcpUrlAt(mcp.origin));
  if ([AUDIENCE, BROKER_AUDIENCE, PUBLIC_URL].some(isMcp)) {
    const rule = `with ${mcpPath} must differ from PUBLIC_URL, AUDIENCE and BROKER_AUDIENCE: tokens for MCP are valid only there`;
    issues.push({ setting: "MCP_URL", rule });
  }
  const accounts = ACCOUNTS_URL === undefined ? null : URL.parse(ACCOUNTS_URL);
  const local = accounts !== null && (isLoopback(accounts.hostname) || accounts.hostname.endsWith(".localhost"));
  if (accounts !== null && accounts.protocol !== "https:" && !local) {
    issues.push({ setting: "ACCOUNTS_URL", rule: "must begin with https: people sign in there" });
  }
  if (accounts !== null && /^(?:[0-9.]+|\[.*\])$/.test(accounts.hostname)) {
    issues.push({
      setting: "ACCOUNTS_URL",
      rule: "must contain a host name, because passkeys do not work with IP addresses",
    });
  }
  if (host.safeParse(INTERNAL_HOST).success && !isLoopback(INTERNAL_HOST) && INTERNAL_EXPOSE !== "yes") {
    const rule = "must be a loopback address such as 127.0.0.1, unless INTERNAL_EXPOSE is yes";
    issues.push({ setting: "INTERNAL_HOST", rule });
  }
  if (isSameResource(AUDIENCE, BROKER_AUDIENCE)) {
    issues.push({
      setting: "BROKER_AUDIENCE",
      rule: "must differ from AUDIENCE: broker tokens are not valid for this API",
    });
  }
  if (CELL !== undefined && DATABASE_URL === undefined) {
    issues.push({ setting: "CELL", rule: "needs DATABASE_URL: a cell is a PostgreSQL database" });
  }
  return issues;
}
