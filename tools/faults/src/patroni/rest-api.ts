import * as z from "zod";
import type { Member } from "./configuration.ts";

/** What a member reports of itself. */
export interface MemberState {
  readonly name: string;
  readonly role: "primary" | "synchronous standby" | "standby" | "down";
}

const report = z.object({
  state: z.string(),
  role: z.string(),
  sync_standby: z.boolean().default(false),
});

/** Asks the REST API of each member for its state. */
export function readMembers(members: readonly Member[]): Promise<MemberState[]> {
  return Promise.all(members.map(async (member) => ({ name: member.name, role: await readRole(member) })));
}

async function readRole({ restPort }: Member): Promise<MemberState["role"]> {
  try {
    const response = await fetch(`http://127.0.0.1:${restPort}/patroni`, { signal: AbortSignal.timeout(2000) });
    const { state, role, sync_standby } = report.parse(await response.json());
    if (state !== "running") return "down";
    // The name in Patroni 3 is "master", in Patroni 4 "primary".
    if (role === "master" || role === "primary") return "primary";
    return sync_standby ? "synchronous standby" : "standby";
  } catch {
    return "down";
  }
}
