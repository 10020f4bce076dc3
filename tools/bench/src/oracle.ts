import { median } from "./load.ts";
import { deleteItemRequest } from "./request.ts";
import { connectSingle } from "./single.ts";
import { startTarget, type Target } from "./target.ts";

/** DeleteItem errors whose time must not reveal what exists. Every existing vault contains an item of 48 KB. */
const targets = {
  "vault missing": ["vault-none", "item-1"],
  "not a member": ["vault-closed", "item-1"],
  viewer: ["vault-viewed", "item-1"],
  "item missing": ["vault-open", "item-none"],
} as const;

type Case = keyof typeof targets;

const names = Object.keys(targets).filter((name): name is Case => name in targets);
const samples = 2500;
const warmUp = 2500;
/** Two samples of 2,500 from the same distribution differ by more than this in 1.5% of pairs. */
const tolerance = 0.02;

/** Runs `pnpm bench oracle`: checks whether the time of an error reveals what exists. */
export async function benchOracle(): Promise<void> {
  await report("lazy", "as built: membership, then the item's status, then the content of an answer");
  await report("eager", "for comparison: the vault's content is read before membership is checked");
}

async function report(mode: "lazy" | "eager", title: string): Promise<void> {
  const target = await startTarget("./oracle-target.ts", [mode]);
  try {
    const times = await measure(target);
    console.log(`${title}: ${samples} interleaved calls each, one connection`);
    for (const name of names) {
      console.log(`  ${name.padEnd(16)} median ${(median(times[name]) * 1000).toFixed(1)} µs`);
    }
    const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other] as const));
    for (const [one, other] of pairs) {
      const area = areaUnderCurve(times[one], times[other]);
      const within = Math.abs(area - 0.5) <= tolerance;
      const verdict = within ? "within" : "NOT within";
      console.log(`  ${`${one} : ${other}`.padEnd(32)} AUC ${area.toFixed(3)}  ${verdict} 0.5 ± ${tolerance}`);
    }
  } finally {
    await target.stop();
  }
}

async function measure(target: Target): Promise<Record<Case, number[]>> {
  const times: Record<Case, number[]> = { "vault missing": [], "not a member": [], viewer: [], "item missing": [] };
  const connection = await connectSingle(target.port);
  for (let round = -warmUp; round < samples; round += 1) {
    for (const name of shuffled(names)) {
      const [vaultId, itemId] = targets[name];
      const ms = await connection.time(deleteItemRequest(vaultId, itemId, target.token));
      if (round >= 0) times[name].push(ms);
    }
  }
  connection.close();
  return times;
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

/** Returns the probability that a time of `one` exceeds a time of `other` (Mann-Whitney). 0.5: no difference. */
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
