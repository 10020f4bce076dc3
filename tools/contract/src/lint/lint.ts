import { asJson, bufFindings, startBuf } from "../buf/buf.ts";
import type { Contract } from "../model/contract.ts";
import { type Finding, failure } from "../model/finding.ts";
import { errorRules } from "./errors.ts";
import { fieldRules } from "./fields.ts";
import { operationRules, packageRules } from "./operations.ts";
import { resourceRules } from "./resources.ts";
import type { Rule } from "./rule.ts";

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

export const rules: readonly Rule[] = [
  ...operationRules,
  ...errorRules,
  ...packageRules,
  ...fieldRules,
  ...resourceRules,
];

/** Checks a contract against the rules. `today` is YYYY-MM-DD. */
export function lintContract(contract: Contract, today: string): readonly Finding[] {
  return rules.flatMap((rule) =>
    [...rule.check(contract, today)].map(({ place, message }) =>
      failure(rule.id, place, `${message}.\nFix: ${rule.fix}`),
    ),
  );
}
