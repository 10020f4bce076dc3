import { asJson, bufFindings } from "../buf/buf-findings.ts";
import { startBuf } from "../buf/run-buf.ts";
import { type Finding, failure } from "../finding.ts";
import type { Contract } from "../model/contract.ts";
import { lintContract } from "./lint-contract.ts";

/** Checks proto/ without the release: its format, the rules of buf that buf.yaml selects, and our own rules. */
export async function lint(root: string, built: Promise<Contract>, today: string): Promise<readonly Finding[]> {
  const [contract, format, style] = await Promise.all([
    built,
    startBuf(root, ["format", "--diff", "--exit-code", "--exclude-path", "proto/buf"]),
    startBuf(root, ["lint", ...asJson]),
  ]);
  return [...formatFindings(format.report), ...bufFindings(style), ...lintContract(contract, today)];
}

/** One finding for each place that the formatter would change. */
function formatFindings(diff: string): readonly Finding[] {
  return diff.split(/^diff /m).flatMap((part) => {
    const [, file] = /^\+\+\+ (\S+)/m.exec(part) ?? [];
    if (file === undefined) return [];
    return [...part.matchAll(/^@@ -(\d+)/gm)].map(({ 1: line }) =>
      failure(
        "format",
        { file, line: Number(line), column: 1 },
        "The file is not formatted here.\nFix: run `pnpm format`.",
      ),
    );
  });
}
