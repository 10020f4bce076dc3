import { engine } from "@platform-rpc/accounts/testing/test-database";
import { describe, expect, it } from "vitest";
import { type Moment, moments, newKillablePlatform, type Victim, victims } from "./testing/killable-platform.js";

/** How often a program is killed. `BROKER_KILLS=100` for the evidence: then the figures of each round are printed. */
const { BROKER_KILLS } = process.env;
const kills = Number(BROKER_KILLS ?? 6);

const [allowed, requests, killsOfRound] = [10, 64, 2];
const turn = <Each>(all: readonly Each[], at: number): Each => all[at % all.length] ?? expect.unreachable();
const usedAt = (host: string, count: number) => `used at ${host}: ${count} of ${allowed}`;

describe("a kill", () => {
  it(`of ${allowed} uses, no more than ${allowed} requests arrive, and each is in Activity (${kills} kills)`, async () => {
    const { host, upstream, approveUses, ask, killAt, restartBroker, signIn, usesIn } = await newKillablePlatform();
    const browser = await signIn();
    let [position, killed, arrivedInAll] = [0, 0, 0];
    for (let round = 0; killed < kills; round += 1) {
      const token = await approveUses({ maxUses: allowed });
      const path = `/round-${round}`;
      const victim = turn(victims, round);
      let answered = 0;
      const askAll = async () => {
        const answers = await Promise.all(Array.from({ length: requests }, () => ask(token, path)));
        answered += answers.filter((answer) => answer?.status === 200).length;
      };
      for (let times = 0; times < killsOfRound && killed < kills; times += 1, killed += 1) {
        const isOver = killAt(turn(moments, round + 2 * times), victim, turn([1, 2, 3, 4, 5], round + times));
        await askAll();
        // A later kill may find no use that is left. Then it comes after the answers.
        if (!(await isOver())) expect(times).toBeGreaterThan(0);
      }
      await askAll();
      await restartBroker();

      const entries = await usesIn(browser, position);
      position = entries[0]?.position ?? position;
      const of = (text: string) => entries.filter(({ event }) => event.startsWith(text));
      const [notSent, unknown] = [of("use not sent").length, of("use may have been sent").length];
      const counted = of("used at");
      const arrived = upstream.count(path);
      const figures = { arrived, counted: counted.length, notSent, unknown, answered };
      if (BROKER_KILLS !== undefined) console.log(JSON.stringify({ engine, round, victim, ...figures }));
      arrivedInAll += arrived;
      expect(arrived).toBeLessThanOrEqual(allowed);
      // All uses are counted in the end, and none is counted twice.
      const counts = Array.from({ length: allowed }, (_, at) => ({ event: usedAt(host, allowed - at) }));
      expect(counted).toMatchObject(counts);
      // Every request that has arrived is one that was counted, and that Activity does not say was not sent.
      expect(arrived).toBeLessThanOrEqual(allowed - notSent);
      expect(arrived).toBeGreaterThanOrEqual(allowed - notSent - unknown);
      expect(answered).toBeLessThanOrEqual(arrived);
      // A killed broker does not know of every answer.
      if (victim === "platform") expect(answered).toBe(allowed - notSent - unknown);
    }
    expect(arrivedInAll).toBeGreaterThan(0);
  });

  it.each<[string, Moment, Victim, { readonly arrived: number; readonly events: readonly string[] }]>([
    ["of the broker before its use is marked as sent", "counted", "broker", { arrived: 0, events: ["use not sent"] }],
    [
      "of the broker while the upstream does not answer",
      "arrived",
      "broker",
      { arrived: 1, events: ["use may have been sent"] },
    ],
    ["of the platform before its answer to the count", "counted", "platform", { arrived: 1, events: [] }],
  ])("%s leaves one use, and Activity says what became of it", async (_, moment, victim, { arrived, events }) => {
    const { host, upstream, approveUses, ask, killAt, signIn, usesIn } = await newKillablePlatform();
    const token = await approveUses({ maxUses: allowed });
    const isOver = killAt(moment, victim);
    const answer = await ask(token);
    expect(await isOver()).toBe(true);
    expect(answer?.status).toBe(victim === "platform" ? 200 : undefined);
    expect(upstream.count()).toBe(arrived);
    const listed = (await usesIn(await signIn())).map(({ event }) => event);
    expect(listed).toEqual([...events, usedAt(host, 1)]);
  });
});
