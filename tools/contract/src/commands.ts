import { judgeByBase } from "./baseline/base-gate.ts";
import { breaking } from "./baseline/breaking.ts";
import { guard } from "./baseline/guard.ts";
import { type History, readHistory } from "./baseline/history.ts";
import { release } from "./baseline/release.ts";
import { buildContract } from "./buf/buf.ts";
import { lint } from "./lint/lint.ts";
import type { Contract } from "./model/contract.ts";
import type { Finding } from "./model/finding.ts";

/** The workspace that a command checks. */
export interface Workspace {
  readonly root: string;
  /** YYYY-MM-DD. */
  readonly today: string;
  /** The commit that was pushed onto, if the change is a push to main. */
  readonly pushedOnto?: string | undefined;
}

export type Findings = Promise<readonly Finding[]>;

// What writes files and documents is imported only by the commands that do: a check needs none of it, and starts in half the time.

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
  const history = await readHistory(workspace.root, workspace.pushedOnto);
  const own = await judge(workspace, history);
  const others = history.base === undefined ? [] : await judgeByBase(workspace.root, history.base);
  return [...own, ...others];
}

/** Judges the change by this gate alone. */
export async function judgeContract(workspace: Workspace): Findings {
  return judge(workspace, await readHistory(workspace.root, workspace.pushedOnto));
}

function judge(workspace: Workspace, history: History): Findings {
  const { root, today } = workspace;
  return withContract(workspace, async (built) => {
    const results = await Promise.all([lint(root, built, today), breaking(root, built, today), guard(root, history)]);
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
  return withContract(workspace, async (built) => {
    const { writeDocuments } = await import("./generate/generate.ts");
    return writeDocuments(workspace.root, workspace.root, await built);
  });
}

export function generateAll(workspace: Workspace): Findings {
  const { root } = workspace;
  return withContract(workspace, async (built) => {
    const [{ generate }, { writeRulesPage }] = await Promise.all([
      import("./generate/generate.ts"),
      import("./rules-page.ts"),
    ]);
    const contract = await built;
    writeRulesPage(root);
    return generate(root, root, contract);
  });
}

export function checkGenerated(workspace: Workspace): Findings {
  return withContract(workspace, async (built) => {
    const { drift } = await import("./generate/drift.ts");
    return drift(workspace.root, await built);
  });
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
