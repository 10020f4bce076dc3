import { type Finding, failure } from "../finding.ts";
import type { Contract } from "../model/contract.ts";
import { errorRules } from "./errors.ts";
import { fieldRules } from "./fields.ts";
import { operationRules } from "./operations.ts";
import { packageRules } from "./packages.ts";
import { resourceRules } from "./resources.ts";
import type { Rule } from "./rule.ts";

/** All rules of our own, in the order of docs/contract-rules.md. */
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
