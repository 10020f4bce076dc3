import { setTimeout } from "node:timers/promises";
import { type CallOn, callsOn, type RecordedCall } from "../history/journal.ts";
import { createBudgetedDeletions } from "../load/budgeted-deletions.ts";
import { milliseconds } from "../report/report.ts";
import type { Fault, Judgement } from "./fault.ts";

/** How many deletions each delegation allows, and how many are asked for with it at the same time. */
const budget = 10;
const items = 64;

/** The longest time between the first calls and the kill, in milliseconds, and the most answers. */
const longestDelayMs = 100;
const mostAnswers = 20;

/** Kills a process of the app while more deletions are made with a delegation than it allows. Each round has a new delegation. */
export const killWithBudget: Fault = {
  title: `kill -9 of the app while ${items} deletions share a budget of ${budget}`,
  engines: ["sqlite", "postgres"],
  makesCalls: true,
  async inject({ apps, admin, journal, random, short }) {
    const rounds = short ? 3 : 100;
    const pickTarget = () => random.pick(apps).target;
    const prepare = createBudgetedDeletions({ admin, journal, random, pickTarget });
    const starts: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // In one vault, deletions also wait for each other. In several, they share only the delegation.
      const vaults = random.chance(0.5) ? 1 : 4;
      const vaultIds = Array.from({ length: vaults }, (_, index) => `budget-${round}-${index}`);
      const deletions = await prepare({ vaultIds, items, budget });
      const app = random.pick(apps);
      const made = deletions.makeAtOnce();
      // Before the first answer, between two answers, or after all deletions.
      await (random.chance(0.5)
        ? setTimeout(random.below(longestDelayMs))
        : deletions.answers(random.below(mostAnswers)));
      await app.kill();
      starts.push(await app.start());
      await Promise.all([made, deletions.repeat()]);
      // Now each deletion that succeeded is retried.
      await deletions.repeat();
      await deletions.readVaults();
    }
    return [
      ["rounds, each with a kill", rounds],
      ["start after a kill, longest", milliseconds(Math.max(...starts))],
    ];
  },
  judge: judgeBudgets,
};

/** Expects each delegation to have deleted exactly its budget, and each other deletion to have been rejected because of it. */
export function judgeBudgets(calls: readonly RecordedCall[]): Judgement {
  const violations: string[] = [];
  const total = { delegations: 0, deleted: 0, retried: 0, exhausted: 0, lost: 0 };
  const made = callsOn(calls, "item").filter(({ request }) => request.delegation !== undefined);
  const listed = deletedItems(calls);
  for (const [delegation = "", own] of Map.groupBy(made, ({ request }) => request.delegation)) {
    const succeeded = own.filter(({ result }) => result?.ok);
    const exhausted = own.filter(({ result }) => result?.ok === false && result.reason === "DELEGATION_EXHAUSTED");
    const asked = itemsOf(own);
    const deleted = itemsOf(succeeded);
    const rejected = itemsOf(exhausted);
    const shown = [...asked].filter((item) => listed.has(item));
    const acknowledged = shown.filter((item) => deleted.has(item));
    const expect = (what: string, found: number, expected: number) => {
      if (found !== expected)
        violations.push(`the delegation of code ${delegation}: ${found} ${what}, expected ${expected}`);
    };
    expect("items were asked for", asked.size, items);
    expect("items are deleted in the vaults", shown.length, budget);
    expect("items are deleted in the vaults, and a deletion was acknowledged", acknowledged.length, budget);
    expect("items have an acknowledged deletion", deleted.size, budget);
    expect("items have a rejection because of the budget", rejected.size, items - budget);
    const wrong = exhausted.filter(({ result }) => result?.allowed !== budget || result.used !== budget);
    expect(`rejections do not say ${budget} of ${budget}`, wrong.length, 0);
    total.delegations += 1;
    total.deleted += shown.length;
    total.retried += succeeded.length - deleted.size;
    total.exhausted += exhausted.length;
    total.lost += own.filter(({ lost }) => lost !== undefined).length;
  }
  if (total.delegations === 0) violations.push("no deletion was made with a delegation");
  return {
    figures: [
      ["delegations", total.delegations],
      ["  items deleted, by the feeds of their vaults", total.deleted],
      ["  retries of them that succeeded", total.retried],
      ["  rejections because of the budget", total.exhausted],
      ["  deletions without an answer", total.lost],
    ],
    violations,
  };
}

function itemsOf(calls: readonly CallOn<"item">[]): ReadonlySet<string> {
  return new Set(calls.map(({ request }) => `${request.vaultId}/${request.itemId}`));
}

/** Returns the items that a list has shown as deleted, by "vault/item". */
function deletedItems(calls: readonly RecordedCall[]): ReadonlySet<string> {
  const shown = callsOn(calls, "vault").flatMap(({ request, result }) =>
    result?.ok ? result.items.filter(({ deleted }) => deleted).map(({ itemId }) => `${request.vaultId}/${itemId}`) : [],
  );
  return new Set(shown);
}
