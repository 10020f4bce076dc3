import type { Finding } from "./model/finding.ts";

/** The exit code: 0 passed, 1 something fails, 3 something was not checked. 2 is for wrong usage. */
export type ExitCode = 0 | 1 | 3;

export function exitCodeOf(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ verdict }) => verdict === "unjudged")) return 3;
  return findings.some(({ verdict }) => verdict === "fails") ? 1 : 0;
}

/** Formats a finding as text: place, severity and rule, then what is wrong and what to do. */
export function asText(finding: Finding): string {
  const { rule, verdict, place, message, change } = finding;
  const grade = { fails: "error", noted: "note", unjudged: "not checked" }[verdict];
  const kind = change === undefined ? "" : `${change}, `;
  const lines = message.split("\n").map((line) => `  ${line}`);
  return `${place.file}:${place.line}:${place.column} ${grade} (${kind}${rule})\n${lines.join("\n")}`;
}

/**
 * Formats a finding as a GitHub annotation, which GitHub shows at the line in the diff.
 *
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function asAnnotation({ rule, verdict, place, message }: Finding): string {
  const level = verdict === "noted" ? "notice" : "error";
  const properties = { file: place.file, line: place.line, col: place.column, title: rule };
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${level} ${list.join(",")}::${escapeData(message)}`;
}

export function asJsonReport(command: string, findings: readonly Finding[]): string {
  return JSON.stringify({ command, exitCode: exitCodeOf(findings), findings }, undefined, 2);
}

/** Returns the last line of the output: the result. */
export function summary(command: string, findings: readonly Finding[]): string {
  const count = findings.filter(({ verdict }) => verdict !== "noted").length;
  const outcome = { 0: "passed", 1: `FAILED, ${count} to fix`, 3: "NOT CHECKED" }[exitCodeOf(findings)];
  return `contract ${command}: ${outcome}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
