import type { Contract } from "../model/contract.ts";
import { kinds, type Lock, lockSchema } from "./lock.ts";
import { subjectsOf } from "./subjects.ts";

/** Creates the lock of the published packages of a contract. */
export function lockContract(contract: Contract): Lock {
  const subjects = subjectsOf(contract);
  const sections = kinds.map((kind) => {
    const sorted = [...subjects[kind]].sort((a, b) => (a.name < b.name ? -1 : 1));
    return [kind, Object.fromEntries(sorted.map(({ name, entry }) => [name, entry]))] as const;
  });
  return lockSchema.parse({ format: 2, ...Object.fromEntries(sections) });
}
