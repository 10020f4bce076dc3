import { judgeByBase } from "./baseline/base-gate.ts";
import { breaking } from "./baseline/breaking.ts";
import { guard } from "./baseline/guard.ts";
import { readHistory } from "./baseline/history.ts";
import { release } from "./baseline/release.ts";
import { buildContract } from "./buf/buf.ts";
import { drift } from "./generate/drift.ts";
import { generate, writeDocuments } from "./generate/generate.ts";
import { lint } from "./lint/lint.ts";
import type { Contract } from "./model/contract.ts";
import type { Finding } from "./model/finding.ts";
import { writeRulesPage } from "./rules-page.ts";

/** The workspace that a command checks. `today` is YYYY-MM-DD. */
export interface Workspace {
  readonly root: string;
  readonly today: string;
}

export type Findings = Promise<readonly Finding[]>;

/** Runs a step with the contract, which is built once. Returns buf's findings when it cannot be built. */
async function withContract({ root }: Workspace, step: (built: Promise<Contract>) => Findings): Findings {
  const building = buildContract(root);
  // Steps start their own buf at the same time, so they get a promise; its failure is reported here.
  const built = building.then((contract) => ("faults" in contract ? Promise.reject(new UnbuiltError()) : contract));
  try {
    return await step(built);
  } catch (error) {
    const contract = await building;
    if ("faults" in contract) return contract.faults;
    throw error;
  }
}

class UnbuiltError extends Error {}

/** Judges the change by this gate, and by the one of the merge base if that is another. */
export async function checkContract(workspace: Workspace): Findings {
  const { base } = await readHistory(workspace.root);
  const own = await judgeContract(workspace);
  const others = base === undefined ? [] : await judgeByBase(workspace.root, base);
  return [...own, ...others];
}

/** Judges the change by this gate alone. */
export function judgeContract(workspace: Workspace): Findings {
  const { root, today } = workspace;
  return withContract(workspace, async (built) => {
    const results = await Promise.all([lint(root, built, today), breaking(root, built, today), guard(root)]);
    return results.flat();
  });
}

export function checkLint(workspace: Workspace): Findings {
  return withContract(workspace, (built) => lint(workspace.root, built, workspace.today));
}

export function checkBreaking(workspace: Workspace): Findings {
  return withContract(workspace, (built) => breaking(workspace.root, built, workspace.today));
}

export function writeContractDocuments(workspace: Workspace): Findings {
  return withContract(workspace, async (built) => writeDocuments(workspace.root, workspace.root, await built));
}

export function generateAll(workspace: Workspace): Findings {
  const { root } = workspace;
  return withContract(workspace, async (built) => {
    const contract = await built;
    writeRulesPage(root);
    return generate(root, root, contract);
  });
}

export function checkGenerated(workspace: Workspace): Findings {
  return withContract(workspace, async (built) => drift(workspace.root, await built));
}

/** Releases the contract if it passes lint. */
export function releaseContract(workspace: Workspace, first: boolean): Findings {
  const { root, today } = workspace;
  return withContract(workspace, async (built) => {
    const contract = await built;
    const findings = await lint(root, built, today);
    return findings.length > 0 ? findings : release(root, contract, { first }, today);
  });
}
