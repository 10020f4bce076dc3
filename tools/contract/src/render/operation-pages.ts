import type { JsonObject } from "@bufbuild/protobuf";
import type { Operation } from "../model/contract.ts";
import { exampleOf } from "./openapi/examples.ts";
import { folderOf, type PublishedApi, reasonsOf, summaryOf } from "./openapi/published-api.ts";

const retries: Readonly<Record<Operation["retrySafety"], string>> = {
  unspecified: "The contract does not say whether a call may be sent again.",
  idempotent: "If you do not get a response, send the same request again. Its effect happens once.",
  with_key: "If you do not get a response, send the same request again with the same `Idempotency-Key` header.",
  none: "If you do not get a response, do not send the request again. Find out first whether it took effect.",
};

/** Returns the pages of public operations, and README.md, by file name. @throws TypeError when two operations would share a page. */
export function operationPages(api: PublishedApi, changelog: Changelog): ReadonlyMap<string, string> {
  const pages = new Map([["README.md", indexPage(api)]]);
  for (const operation of api.operations) {
    const file = `${operation.method}.md`;
    if (pages.has(file)) throw new TypeError(`two operations of ${api.package.name} are named ${operation.method}`);
    pages.set(file, operationPage(operation, api, changelog));
  }
  return pages;
}

function operationPage(operation: Operation, api: PublishedApi, changelog: Changelog): string {
  const { name, method, comment, requiredScopes, retrySafety, rate, deprecation, request, response } = operation;
  const { contract } = api;
  const scopes = requiredScopes.map((scope) => `\`${scope}\``).join(", ");
  const headers = [
    "Content-Type: application/json",
    "Connect-Protocol-Version: 1",
    "Authorization: Bearer <ACCESS_TOKEN>",
  ];
  return [
    `# ${method}`,
    generatedFrom(api),
    ...(deprecation
      ? [`**Deprecated** since ${deprecation.deprecatedOn}. It is served until ${deprecation.sunsetOn} at least.`]
      : []),
    comment,
    "## Request",
    ["```http", `POST /${name} HTTP/1.1`, ...headers, "", shown(exampleOf(request, "request", contract)), "```"].join(
      "\n",
    ),
    fieldsOf(request, api),
    "## Response",
    ["```json", shown(exampleOf(response, "response", contract)), "```"].join("\n"),
    fieldsOf(response, api),
    "## Limits",
    [
      `- The access token must contain the scope ${scopes}.`,
      ...(rate
        ? [`- By default, a principal may make ${rate.perMinute} calls a minute, and ${rate.burst} at once.`]
        : []),
      `- ${retries[retrySafety]}`,
    ].join("\n"),
    "## Errors",
    errorsOf(operation, api),
    "## Changes",
    changesSection(operation, api, changelog),
    "[All operations](README.md)\n",
  ].join("\n\n");
}

/** Returns the names of messages, and of the messages and enums of the contract that they contain. */
function typesIn(roots: readonly string[], { contract: { messages, enums } }: PublishedApi): ReadonlySet<string> {
  const names = new Set(roots);
  // A set that grows while it is read.
  for (const name of names) {
    for (const { type } of messages.get(name)?.fields ?? [])
      if (messages.has(type.name) || enums.has(type.name)) names.add(type.name);
  }
  return names;
}

function fieldsOf(message: string, api: PublishedApi): string {
  const tables = [...typesIn([message], api)].map((name) => {
    const fields = api.contract.messages.get(name)?.fields ?? [];
    const rows = fields.map(({ jsonName, comment }) => `| \`${jsonName}\` | ${cell(comment)} |`);
    const heading = name === message ? [] : [`### ${name.slice(name.lastIndexOf(".") + 1)}`, ""];
    return rows.length > 0 ? [...heading, "| field | meaning |", "| --- | --- |", ...rows].join("\n") : "";
  });
  return tables.filter((table) => table !== "").join("\n\n");
}

function errorsOf(operation: Operation, api: PublishedApi): string {
  const errors = `../${"../".repeat(folderOf(api) === "" ? 0 : 1)}errors/${folderOf(api)}`;
  const own = reasonsOf(operation, api).filter(({ everyCall }) => !everyCall);
  const rows = own.map(
    ({ name, httpStatus, when }) => `| [${name}](${errors}${name}.md) | ${httpStatus} | ${cell(when)} |`,
  );
  const table = ["| reason | HTTP | when |", "| --- | --- | --- |", ...rows].join("\n");
  return [
    ...(rows.length > 0 ? [table] : []),
    `Every operation can also fail with the reasons that [the list of reasons](${errors}README.md) marks with "every operation".`,
  ].join("\n\n");
}

function changesSection(operation: Operation, api: PublishedApi, changelog: Changelog): string {
  if (changelog.length === 0) return "The contract is not released yet.";
  const lines = changesOf(operation, api, changelog).map(({ version, text }) => `- **${version}**: ${text}`);
  return lines.length > 0 ? lines.join("\n") : "None since the first release.";
}

function indexPage(api: PublishedApi): string {
  const rows = api.operations.map((operation) => {
    const { method, requiredScopes } = operation;
    const scopes = requiredScopes.map((scope) => `\`${scope}\``).join(", ");
    return `| [${method}](${method}.md) | ${summaryOf(operation)} | ${scopes} |`;
  });
  return [
    "# Operations",
    generatedFrom(api),
    "Every call is an HTTP POST with a JSON body, an access token, and the header `Connect-Protocol-Version: 1`.",
    ["| operation | what it does | scope |", "| --- | --- | --- |", ...rows, ""].join("\n"),
  ].join("\n\n");
}

function shown(example: JsonObject): string {
  return JSON.stringify(example, undefined, 2);
}

/** A table cell is one line. */
function cell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
}

function generatedFrom({ package: { name } }: PublishedApi): string {
  return `<!-- @generated by \`pnpm generate\` from proto/${name.replaceAll(".", "/")} -->`;
}

/** One released change: the version of @platform-rpc/types that brought it, and its text on one line. */
export interface Change {
  readonly version: string;
  readonly text: string;
}

/** The released changes, the newest first. Empty before the first release. */
export type Changelog = readonly Change[];

/** Reads the list items below the headings of versions, as changesets writes them. */
export function parseChangelog(source: string): Changelog {
  const [, ...releases] = source.split(/^## /m);
  return releases.flatMap((release) => {
    const [version = ""] = release.split("\n", 1);
    const items = release.split(/^- /m).slice(1);
    return items.map((item) => ({ version: version.trim(), text: textOf(item) }));
  });
}

/** Returns the changes that name an operation or a type in its messages. The first release names everything, so it is no change. */
function changesOf({ method, request, response }: Operation, api: PublishedApi, changelog: Changelog): Changelog {
  const first = changelog.at(-1)?.version;
  const types = [...typesIn([request, response], api)];
  const names = [method, ...types.map((name) => name.slice(name.lastIndexOf(".") + 1))];
  return changelog.filter(({ version, text }) => {
    const words = new Set(text.split(/[^\w$-]+/));
    return version !== first && names.some((name) => words.has(name));
  });
}

/** Returns an item on one line, without the commit that changesets writes before it. */
function textOf(item: string): string {
  const [text = ""] = item.split(/^### /m, 1);
  return text
    .replace(/^[0-9a-f]{7,40}: /, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
