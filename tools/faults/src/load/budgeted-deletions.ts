import { EventEmitter, once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { Journal } from "../history/journal.ts";
import { type Admin, createVault, readVault } from "./admin.ts";
import { createDecide, startAuthorization } from "./authorizations.ts";
import { createIssueToken } from "./issue-token.ts";
import { createItemWith } from "./items.ts";
import { fixture, type Target } from "./plan.ts";
import type { Random } from "./random.ts";
import { createRecordedClient } from "./recorded-fetch.ts";
import { hash } from "./responses.ts";

/** Deletions with one delegation, each of another item. */
export interface BudgetedDeletions {
  /** Makes all calls at the same time, some of them twice. Resolves when the last one has ended, with or without an answer. */
  makeAtOnce(): Promise<void>;
  /** Resolves when calls have been answered this often. */
  answers(count: number): Promise<void>;
  /** Makes each call again, until it is answered. @throws when one has no answer in a minute. */
  repeat(): Promise<void>;
  /** Reads the changes of the vaults. */
  readVaults(): Promise<void>;
}

export interface BudgetedDeletionsOptions {
  /** The ids of the new vaults that contain the items. */
  readonly vaultIds: readonly string[];
  /** The number of items in all vaults together. */
  readonly items: number;
  /** How many of them the delegation allows to delete. */
  readonly budget: number;
}

/** How long a call is repeated, in milliseconds. */
const patienceMs = 60_000;

/** Creates the function that prepares deletions: vaults with live items, an approval with a budget, and a token for it. */
export function createBudgetedDeletions(deps: {
  readonly admin: Admin;
  readonly journal: Journal;
  readonly random: Random;
  readonly pickTarget: () => Target;
}) {
  const { admin, journal, random, pickTarget } = deps;
  const issue = createIssueToken({ admin, journal });
  const decide = createDecide({ admin, journal });
  const token = () => issue(fixture.agent, fixture.scopes);
  const agent = createRecordedClient({ journal, pickTarget, own: true, token });

  const createItem = createItemWith({ admin, journal });
  /** Approves with a budget, and exchanges the code for a token. */
  const delegate = async (maxDeletions: number) => {
    const codes = await startAuthorization(admin);
    await decide(codes, "approve", { maxDeletions });
    const { deviceCode } = codes;
    const { accessToken } = await agent.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode });
    return { accessToken, delegation: hash(deviceCode) };
  };

  return async ({ vaultIds, items, budget }: BudgetedDeletionsOptions): Promise<BudgetedDeletions> => {
    for (const vaultId of vaultIds) await createVault(admin, vaultId, 30);
    const requests = Array.from({ length: items }, (_, index) => ({
      ...{ vaultId: vaultIds[index % vaultIds.length] ?? "", itemId: `item-${index}`, baseVersion: 1 },
    }));
    await Promise.all(requests.map(({ vaultId, itemId }) => createItem(vaultId, itemId)));
    const { accessToken, delegation } = await delegate(budget);
    const answered = new Set<string>();
    const arrivals = new EventEmitter();
    let answers = 0;
    const client = createRecordedClient({
      ...{ journal, pickTarget, own: true, token: () => accessToken, delegation },
      ended(request, end) {
        if (request.on !== "item" || !("result" in end)) return;
        answered.add(request.itemId);
        answers += 1;
        arrivals.emit("answer");
      },
    });
    const remove = (request: (typeof requests)[number]) => client.vault.deleteItem(request).catch(() => undefined);
    const removeUntilAnswered = async (request: (typeof requests)[number]) => {
      const endsAt = performance.now() + patienceMs;
      for (answered.delete(request.itemId); !answered.has(request.itemId); await setTimeout(20)) {
        if (performance.now() > endsAt) throw new Error("A deletion was not answered in a minute.");
        await remove(request);
      }
    };
    return {
      async makeAtOnce() {
        // A retry is made next to its deletion, before the budget is used.
        const calls = requests.flatMap((request) => (random.chance(0.5) ? [request, request] : [request]));
        await Promise.all(calls.map(remove));
      },
      async answers(count) {
        while (answers < count) await once(arrivals, "answer");
      },
      async repeat() {
        await Promise.all(requests.map(removeUntilAnswered));
      },
      async readVaults() {
        for (const vaultId of vaultIds) await readVault(vaultId, { admin, journal });
      },
    };
  };
}
