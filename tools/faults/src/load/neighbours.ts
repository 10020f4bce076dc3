import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { now } from "../history/journal.ts";
import { type Admin, createAdmin } from "./admin.ts";
import { newContent } from "./items.ts";
import type { Target } from "./plan.ts";
import type { Random } from "./random.ts";

/** A tenant that stays in its cell, and where it calls. */
export interface Neighbour {
  readonly tenantId: string;
  readonly target: Target;
}

/** A call of a neighbour. Its times are those of journals. */
export interface TimedCall {
  readonly tenantId: string;
  readonly begunAt: number;
  readonly endedAt: number;
}

const vaultId = "neighbour";
const items = 50;
const putResponse = z.object({ item: z.object({ version: z.number() }) });

/** Lets neighbours write and read items, each at a rate. `stop` returns their calls. @throws when a call does not succeed */
export async function startNeighbours(
  neighbours: readonly Neighbour[],
  { callsPerSecond, random }: { readonly callsPerSecond: number; readonly random: Random },
): Promise<{ readonly stop: () => Promise<readonly TimedCall[]> }> {
  const calls: TimedCall[] = [];
  let stopped = false;
  const live = async ({ tenantId, target }: Neighbour) => {
    const admin = createAdmin([target], random);
    await admin.succeed("VaultAdminService/CreateVault", { tenantId, vaultId, retentionDays: 30 });
    return { tenantId, admin };
  };
  const work = async ({ tenantId, admin }: { readonly tenantId: string; readonly admin: Admin }) => {
    const versions = new Map<string, number>();
    for (let made = 0, next = performance.now(); !stopped; made += 1) {
      const itemId = `item-${(made >> 1) % items}`;
      const at = { tenantId, vaultId, itemId };
      const begunAt = now();
      if (made % 2 === 0) {
        const body = { ...at, baseVersion: versions.get(itemId) ?? 0, ...newContent() };
        const answer = await admin.post("VaultAdminService/PutItem", body, crypto.randomUUID());
        if (answer.status !== 200) throw new Error(`A neighbour could not write: ${answer.status} ${answer.text}`);
        versions.set(itemId, putResponse.parse(JSON.parse(answer.text)).item.version);
      } else {
        const answer = await admin.post("VaultAdminService/GetItem", at, crypto.randomUUID());
        if (answer.status !== 200) throw new Error(`A neighbour could not read: ${answer.status} ${answer.text}`);
      }
      calls.push({ tenantId, begunAt, endedAt: now() });
      next += 1000 / callsPerSecond;
      await setTimeout(Math.max(0, next - performance.now()));
    }
  };
  const working = Promise.all((await Promise.all(neighbours.map(live))).map(work));
  // It is awaited at the end.
  working.catch(() => undefined);
  return {
    async stop() {
      stopped = true;
      await working;
      return calls;
    },
  };
}
