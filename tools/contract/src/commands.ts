import { releaseFile } from "./baseline/baseline.ts";
import type { Current } from "./baseline/breaking.ts";
import { type ChangeOrigin, GitError, type History, readHistory } from "./baseline/history.ts";
import { windowsLineEndings } from "./baseline/line-endings.ts";
import { readPackageApis } from "./baseline/package-apis.ts";
import * as releases from "./baseline/release.ts";
import { buildContract } from "./buf/buf.ts";
import { lint } from "./lint/lint.ts";
import type { Contract } from "./model/contract.ts";
import { type Finding, unjudged } from "./model/finding.ts";

export interface Workspace {
  readonly root: string;
  /** YYYY-MM-DD. */
  readonly today: string;
  /** What the workflow knows about the change. */
  readonly origin?: ChangeOrigin;
}

export type Findings = Promise<readonly Finding[]>;

// What writes files and documents is imported only by the commands that do: a check needs none of it, and starts in half the time.

/** Runs a step with the contract, which is built once. Returns buf's findings when it cannot be built. */
async function withContract({ root }: Workspace, step: (built: Promise<Contract>) => Findings): Findings {
  const unreadable = windowsLineEndings(root);
  if (unreadable.length > 0) return unreadable;
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

export function checkContract(workspace: Workspace): Findings {
  return withContract(workspace, async (built) => {
    const results = await Promise.all([lint(workspace.root, built, workspace.today), breaking(workspace, built)]);
    return results.flat();
  });
}

export function checkLint(workspace: Workspace): Findings {
  return withContract(workspace, (built) => lint(workspace.root, built, workspace.today));
}

export function checkBreaking(workspace: Workspace): Findings {
  return withContract(workspace, (built) => breaking(workspace, built));
}

function breaking(workspace: Workspace, built: Promise<Contract>): Findings {
  return withHistory(workspace, built, releases.checkBreaking);
}

/** Runs a step with the history of the change. If git fails, a finding says so. */
async function withHistory(
  { root, today, origin }: Workspace,
  built: Promise<Contract>,
  step: (current: Current, history: History) => Findings,
): Findings {
  try {
    const [contract, history] = await Promise.all([built, readHistory(root, origin)]);
    return await step({ root, contract, apis: readPackageApis(root), today }, history);
  } catch (error) {
    if (error instanceof GitError) return [unjudged("git", releaseFile, error.message)];
    throw error;
  }
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
    const { generate } = await import("./generate/generate.ts");
    return generate(root, root, await built);
  });
}

export function checkGenerated(workspace: Workspace): Findings {
  return withContract(workspace, async (built) => {
    const { drift } = await import("./generate/generate.ts");
    return drift(workspace.root, await built);
  });
}

export function releaseContract(workspace: Workspace, first: boolean): Findings {
  return withContract(workspace, async (built) => {
    const findings = await lint(workspace.root, built, workspace.today);
    if (findings.length > 0) return findings;
    return withHistory(workspace, built, (current, history) => releases.release(current, history, first));
  });
}
