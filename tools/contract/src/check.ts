import { breaking } from "./breaking.ts";
import type { Finding } from "./finding.ts";
import { lint } from "./lint.ts";
import { lockContract } from "./lock/lock-contract.ts";
import { lockDrift, writeLock } from "./lock/lock-file.ts";
import { buildContract } from "./read-contract.ts";
import { readSources } from "./sources.ts";

/** Everything about the contract that can be wrong. The contract is built once for all of it. */
export async function check(root: string): Promise<readonly Finding[]> {
  const built = buildContract(root);
  const [alone, compared, contract] = await Promise.all([lint(root, built), breaking(root, built), built]);
  if ("faults" in contract) return contract.faults;
  return [...alone, ...lockDrift(root, lockContract(contract, readSources(root))), ...compared];
}

/** Writes the lock of today's contract. */
export async function lock(root: string): Promise<readonly Finding[]> {
  const contract = await buildContract(root);
  if ("faults" in contract) return contract.faults;
  writeLock(root, lockContract(contract, readSources(root)));
  return [];
}
