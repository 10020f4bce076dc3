import type { FileRegistry } from "@bufbuild/protobuf";
import { asJson, bufFindings } from "./buf/buf-findings.ts";
import { startBuf } from "./buf/run-buf.ts";
import { type Finding, failure } from "./finding.ts";
import { buildContract } from "./read-contract.ts";
import { rules } from "./rules/index.ts";
import { readSources, type Sources } from "./sources.ts";

/** Judges proto/ on its own: its format, buf's rules as buf.yaml chooses them, and the rules of our own. */
export async function lint(root: string, built = buildContract(root)): Promise<readonly Finding[]> {
  const [contract, format, style] = await Promise.all([
    built,
    startBuf(root, ["format", "--diff", "--exit-code", "--exclude-path", "proto/buf"]),
    startBuf(root, ["lint", ...asJson]),
  ]);
  if ("faults" in contract) return contract.faults;
  return [...formatFindings(format.report), ...bufFindings(style), ...judge(contract, readSources(root))];
}

/** What the rules of our own find. */
export function judge(contract: FileRegistry, sources: Sources): readonly Finding[] {
  return rules.flatMap((rule) =>
    [...rule.offences({ contract, sources })].map(({ place, message }) =>
      failure(rule.id, place, `${message}.\nFix: ${rule.fix}`),
    ),
  );
}

/** One finding for each place where the formatter would write something else. */
function formatFindings(diff: string): readonly Finding[] {
  return diff.split(/^diff /m).flatMap((part) => {
    const [, file] = /^\+\+\+ (\S+)/m.exec(part) ?? [];
    if (file === undefined) return [];
    return [...part.matchAll(/^@@ -(\d+)/gm)].map(({ 1: line }) =>
      failure("format", { file, line: Number(line), column: 1 }, "Not formatted.\nFix: pnpm format"),
    );
  });
}
