import { type Connection, deleteItemRequest, openConnection } from "../load/connection.ts";
import { summarize } from "../load/rounds.ts";
import { startTarget } from "../load/target.ts";
import { type BenchResult, withDigits, withSpread } from "../report/format.ts";

/** Rejections of DeleteItem whose time must not reveal what exists. Every existing vault contains an item of 48 kB. */
const rejections = [
  { name: "vault missing", vaultId: "vault-none", itemId: "item-1" },
  { name: "not a member", vaultId: "vault-closed", itemId: "item-1" },
  { name: "viewer", vaultId: "vault-viewed", itemId: "item-1" },
  { name: "item missing", vaultId: "vault-open", itemId: "item-none" },
] as const;

const samples = 2500;
const warmUp = 2500;
/** Two samples of 2,500 from the same distribution differ by more than this in 1.5 % of pairs. */
const tolerance = 0.02;

/** Runs `pnpm bench oracle`: checks whether the time of a rejection reveals its reason. */
export async function benchOracle(): Promise<BenchResult> {
  const times = await timesOf("lazy");
  const timesIfEager = await timesOf("eager");
  const pairs = rejections.flatMap((_, one) => rejections.slice(one + 1).map((_, at) => [one, one + 1 + at] as const));
  return {
    title: "What the time of a rejection reveals",
    method: `${withDigits(samples, 0)} of each of four rejections of DeleteItem, in random order on one connection. The table gives the median and the quartiles of the response times of each pair. The area under the curve (AUC) is the probability that the first of a pair takes longer than the second: 0.5 means that their times do not differ. For comparison, the last column shows the AUC of a storage that reads the content before it checks the membership.`,
    columns: ["pair of rejections", "µs", "µs", "AUC", `within 0.5 ± ${tolerance}`, "AUC if the content is read first"],
    rows: pairs.map(([one, other]) => {
      const auc = areaUnderCurve(times[one] ?? [], times[other] ?? []);
      const aucIfEager = areaUnderCurve(timesIfEager[one] ?? [], timesIfEager[other] ?? []);
      return [
        `${rejections[one]?.name} : ${rejections[other]?.name}`,
        withSpread(summarize(times[one] ?? []), 1),
        withSpread(summarize(times[other] ?? []), 1),
        auc.toFixed(3),
        Math.abs(auc - 0.5) <= tolerance ? "yes" : "no",
        aucIfEager.toFixed(3),
      ];
    }),
    measured: [],
  };
}

async function timesOf(mode: "lazy" | "eager"): Promise<readonly (readonly number[])[]> {
  await using stack = new AsyncDisposableStack();
  const target = await startTarget(new URL("./oracle-target.ts", import.meta.url), [mode]);
  stack.defer(target.stop);
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const connection = await openConnection(target.port, reject);
  const times = rejections.map(({ vaultId, itemId }) => ({
    request: deleteItemRequest(vaultId, itemId, target.token),
    measured: [] as number[],
  }));
  for (let round = -warmUp; round < samples; round += 1) {
    for (const { request, measured } of shuffled(times)) {
      const micros = await Promise.race([failed, time(connection, request)]);
      if (round >= 0) measured.push(micros);
    }
  }
  connection.close();
  return times.map(({ measured }) => measured);
}

function time(connection: Connection, request: Buffer): Promise<number> {
  const sentAt = performance.now();
  return new Promise((resolve) => {
    connection.send(request, () => resolve((performance.now() - sentAt) * 1000));
  });
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

/** Returns the probability that a value of `one` exceeds a value of `other` (Mann-Whitney). 0.5: no difference. */
function areaUnderCurve(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, own: true })), ...other.map((value) => ({ value, own: false }))];
  all.sort((a, b) => a.value - b.value);
  let ranks = 0;
  for (let at = 0; at < all.length; ) {
    let end = at;
    while (end < all.length && all[end]?.value === all[at]?.value) end += 1;
    // Equal values share the mean of their ranks.
    const rank = (at + 1 + end) / 2;
    ranks += rank * all.slice(at, end).filter(({ own }) => own).length;
    at = end;
  }
  return (ranks - (one.length * (one.length + 1)) / 2) / (one.length * other.length);
}
