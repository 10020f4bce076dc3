import { readFileSync } from "node:fs";
import { callerContract } from "@platform-rpc/accounts/contract/private-contract";
import { wrongCodesOfNetwork } from "@platform-rpc/accounts/device/device-routes";
import { otherRequests, type RouteLimits, routeLimits } from "@platform-rpc/accounts/http/route-limits";
import { signInFailures } from "@platform-rpc/accounts/sign-in/sign-in";
import { defaultGuessLimits, defaultLimits, fallbackRate, type Limits, type Rate } from "@platform-rpc/server/host";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { describe, expect, it } from "vitest";
import { mcpRoutes, rateOfPerson } from "../mcp/mcp-limits.js";
import { mcpConnections } from "../process/open-files.js";
import { mcpPath } from "../settings/mcp-url.js";
import { readSettings } from "../settings/settings.js";

/** What each limit of a listener is for. */
const limitsInWords = {
  connections: "open connections of the public listener",
  connectionsPerAddress: "open connections of one address",
  backlog: "connections that wait to be accepted",
  pipelinedRequests: "requests that wait on a connection behind the current one",
  headerBytes: "request line and headers together",
  bodyBytes: "body of a request",
  receiveTimeoutMs: "time for a complete request to arrive",
  keepAliveMs: "time a connection may be idle between requests",
  writeTimeoutMs: "time without progress after which a response is aborted; it starts when the kernel's buffer is full",
  pieceBytes: "size of the pieces in which a larger response is written",
  drainBytes: "after a request is rejected: most bytes of its body that are read and discarded",
  drainMs: "after a request is rejected: longest time for reading and discarding its body",
  callsInFlight: "calls in flight",
  callsInFlightPerPrincipal: "calls in flight of one principal",
  defaultTimeoutMs: "deadline of a call that does not name one",
  longestTimeoutMs: "longest deadline of a call",
} as const satisfies Readonly<Record<keyof Limits, string>>;

/** The operations whose calls count as many as they have items. */
const countedByItem = ["PutItems", "DeleteItems"].map((name) => `${MemberVaultService.typeName}/${name}`);

/** Returns a Markdown table. */
function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function count(value: number): string {
  return value === Number.POSITIVE_INFINITY ? "off" : value.toLocaleString("en");
}

function bytes(value: number): string {
  if (value >= 1024 ** 2 && value % 1024 ** 2 === 0) return `${count(value / 1024 ** 2)} MiB`;
  return value >= 1024 && value % 1024 === 0 ? `${count(value / 1024)} KiB` : `${count(value)} bytes`;
}

function quantity(name: string, value: number): string {
  if (name.endsWith("Bytes")) return bytes(value);
  return name.endsWith("Ms") ? `${count(value / 1000)} s` : count(value);
}

function rateInWords(rate: Rate | undefined): string {
  return rate === undefined ? "" : `${count(rate.perMinute)} a minute, burst ${count(rate.burst)}`;
}

function renderTables(): string {
  const { internalConnections, accountsConnections, unreadBytes } = readSettings({});
  const limits = new Map<string, number>(Object.entries(defaultLimits));
  const routes: readonly (readonly [string, RouteLimits])[] = [
    ...Object.entries(routeLimits),
    ["every other request", otherRequests],
  ];
  return [
    "Each listener:",
    table(
      ["limit", "default"],
      [
        ...Object.entries(limitsInWords).map(([name, words]) => [
          words,
          quantity(name, limits.get(name) ?? Number.NaN),
        ]),
        ["open connections of the internal listener", count(internalConnections)],
        ["open connections of the accounts listener", count(accountsConnections)],
        ["open connections of the MCP listener", count(mcpConnections)],
        [
          "bytes of unread responses of all listeners of the process, after which the slowest readers are ended",
          bytes(unreadBytes),
        ],
      ],
    ),
    "Operations of the API, for one principal:",
    table(
      ["operation", "rate", "largest body"],
      [
        ...Object.entries(callerContract.rates).map(([name, rate]) => [
          `\`${name}\``,
          countedByItem.includes(name) ? `${rateInWords(rate)}; counts items` : rateInWords(rate),
          bytes(callerContract.bodyBytes?.[name] ?? defaultLimits.bodyBytes),
        ]),
        ["every operation of administrators", rateInWords(fallbackRate), bytes(defaultLimits.bodyBytes)],
      ],
    ),
    "Routes of the accounts origin. Where people are signed in, their account has a rate, too:",
    table(
      ["route", "rate of a network", "rate of an account", "largest body"],
      routes.map(([name, { network, account, bodyBytes }]) => [
        name.startsWith("every") ? name : `\`${name}\``,
        rateInWords(network),
        rateInWords(account),
        bodyBytes === 0 ? "none" : bytes(bodyBytes),
      ]),
    ),
    `Routes of the MCP listener. One person may call \`${mcpPath}\` ${rateInWords(rateOfPerson)}, and each tool calls operations with their rates:`,
    table(
      ["route", "rate of a network", "largest body"],
      Object.entries(mcpRoutes.limits).map(([name, { network, bodyBytes }]) => [
        `\`${name}\``,
        rateInWords(network),
        bodyBytes === 0 ? "none" : bytes(bodyBytes),
      ]),
    ),
    "Wrong guesses in 10 minutes, after which every further one is rejected:",
    table(
      ["guess", "limit"],
      [
        ["user code, by one principal", count(defaultGuessLimits.missesOfPrincipal)],
        ["user code, from one network", count(wrongCodesOfNetwork)],
        ["user code, by all principals of a tenant", count(defaultGuessLimits.missesOfTenant)],
        ["sign-in, from one network", count(signInFailures.ofNetwork)],
        ["sign-in, to one account", count(signInFailures.ofAccount)],
      ],
    ),
  ].join("\n\n");
}

describe("DECISIONS section 9: every route of every listener has a rate and a bound", () => {
  it("SECURITY.md contains the limits of the code (run this test with -u to write them)", async () => {
    const path = new URL("../../../../SECURITY.md", import.meta.url);
    const tables = /(<!-- The tables are generated:[^\n]*-->\n).*?(<!-- end of the tables -->)/s;
    const page = readFileSync(path, "utf8");
    expect(page).toMatch(tables);
    const generated = page.replace(tables, (_, start: string, end: string) => `${start}\n${renderTables()}\n\n${end}`);
    await expect(generated).toMatchFileSnapshot(path.pathname);
  });

  it("every operation of people and agents has a rate in the contract", () => {
    expect(Object.keys(callerContract.rates).sort()).toEqual([...callerContract.operations.keys()].sort());
  });
});
