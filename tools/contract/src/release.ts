import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { breaking } from "./breaking.ts";
import { asJson, bufFindings } from "./buf/buf-findings.ts";
import { startBuf } from "./buf/run-buf.ts";
import type { Finding } from "./finding.ts";
import { lint } from "./lint.ts";
import { lockContract } from "./lock/lock-contract.ts";
import { lockDrift } from "./lock/lock-file.ts";
import { printJson } from "./lock/print.ts";
import { buildContract } from "./read-contract.ts";
import { releasedImage, releasedLock, releasedPaths } from "./released-contract.ts";
import { readSources } from "./sources.ts";

export interface ReleaseOptions {
  /** There is no release yet that could be broken: take today's contract without comparing it. */
  readonly first: boolean;
}

/**
 * Makes today's contract the released one, unless it breaks the one before or is not in order itself. Additions need no
 * changeset any more: the release has just used them up. The same contract always gives the same bytes: the image holds
 * neither comments nor positions, and the lock is sorted.
 */
export async function release(root: string, { first }: ReleaseOptions): Promise<readonly Finding[]> {
  const compared = first ? [] : (await breaking(root)).filter(keepsFromRelease);
  if (compared.length > 0) return compared;
  const built = buildContract(root);
  const paths = releasedPaths.flatMap((path) => ["--path", path]);
  const image = startBuf(root, ["build", "--exclude-source-info", ...paths, "-o", "-#format=binpb", ...asJson]);
  const [contract, released] = await Promise.all([built, image]);
  if ("faults" in contract) return contract.faults;
  if (!released.ok) return bufFindings(released);
  const lock = lockContract(contract, readSources(root));
  const findings = [...(await lint(root, built)), ...lockDrift(root, lock)];
  if (findings.length > 0) return findings;
  write(join(root, releasedImage), released.output);
  write(join(root, releasedLock), printJson(lock));
  return [];
}

function keepsFromRelease({ change }: Finding): boolean {
  return change === undefined || change === "breaking";
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
