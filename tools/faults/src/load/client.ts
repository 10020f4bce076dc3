import { setTimeout } from "node:timers/promises";
import { Agent, setGlobalDispatcher } from "undici";
import { type Journal, openJournal } from "../history/journal.ts";
import { createSuccesses, enough } from "../history/successes.ts";
import { createAdmin, createIssueToken, type TokenSubject } from "./admin.ts";
import { createAuthorizationAction, createDelegatedDeletionsAction } from "./authorizations.ts";
import { createItemActions, createKnownItems } from "./items.ts";
import { createMember, followChanges } from "./member.ts";
import { fixture, type Plan } from "./plan.ts";
import { createRandom } from "./random.ts";
import { createRecordedClient } from "./send.ts";
import { createSessionAction } from "./sessions.ts";
import { createSignUpAction } from "./sign-ups.ts";

// A client process: makes the calls of its plan, and records them.

const plan: Plan = JSON.parse(process.argv[2] ?? "");
// Without a limit, each moment with more concurrent calls than before would add connections.
setGlobalDispatcher(new Agent({ connections: 2 * plan.clients }));
const journal = openJournal(plan.journal);
const random = createRandom(plan.seed);
const known = createKnownItems();
const startedAt = performance.now();
/** How long this process goes on after SIGTERM until each kind of call has succeeded often enough, in milliseconds. */
const patienceMs = 180_000;
let made = 0;
let stoppedAt = Number.POSITIVE_INFINITY;
process.on("SIGTERM", () => {
  stoppedAt = performance.now();
});

const successes = createSuccesses();
const missing = () => [...successes.counts].filter(([, count]) => count < enough).map(([kind]) => kind);
const stopped = () => {
  const due = plan.calls === undefined ? performance.now() > stoppedAt : made >= plan.calls;
  if (!due) return false;
  stoppedAt = Math.min(stoppedAt, performance.now());
  return missing().length === 0 || performance.now() > stoppedAt + patienceMs;
};

/** Does not call a platform that is down as often as one that answers. */
const paced: Journal = {
  ...journal,
  async record(request, requestId, make) {
    made += 1;
    const end = await journal.record(request, requestId, make);
    if ("result" in end) successes.add(request, end.result);
    else await setTimeout(20);
    return end;
  },
};
const pickTarget = () => random.pick(plan.targets);
const admin = createAdmin(plan.targets, random);
const issue = createIssueToken({ admin, journal });
const clientOf = (caller: TokenSubject, own: boolean) =>
  createRecordedClient({
    journal: paced,
    pickTarget,
    own,
    ended: known.learn,
    token: () => issue(caller, fixture.scopes),
  });
const client = clientOf(fixture.agent, true);
const stranger = clientOf(fixture.stranger, false);
const person = { principalId: fixture.userId, oauthClientId: fixture.program };
const member = createMember(pickTarget, () => issue(person, fixture.memberScopes));

const deps = { client, stranger, admin, member, pickTarget, journal: paced, known, random };
const actions: readonly (readonly [on: string, weight: number, () => Promise<unknown>])[] = [
  ...createItemActions(deps).map(([weight, action]) => ["item", weight, action] as const),
  ["code", 3, createAuthorizationAction(deps)],
  ["session", 6, createSessionAction(deps)],
  ["account", 0.5, createSignUpAction(deps)],
  ["delegation", 1, createDelegatedDeletionsAction(deps)],
];

/** At the end of a run on a slow machine, only what has not succeeded often enough. */
function actionsNow() {
  if (stoppedAt === Number.POSITIVE_INFINITY) return actions;
  const wanted = missing();
  return actions.filter(([on]) => wanted.some((kind) => kind.startsWith(on)));
}

function pickAction(): () => Promise<unknown> {
  const choices = actionsNow();
  let left = random.next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [, weight, action] of choices) {
    left -= weight;
    if (left < 0) return action;
  }
  return () => Promise.resolve();
}

async function runClient(): Promise<void> {
  while (!stopped()) {
    // A rejected call is an end like any other: the journal contains it.
    await pickAction()().catch(() => undefined);
    if (plan.callsPerSecond !== undefined) {
      const dueInMs = (made / plan.callsPerSecond) * 1000 - (performance.now() - startedAt);
      if (dueInMs > 0) await setTimeout(dueInMs);
    }
  }
}

await Promise.all([
  ...Array.from({ length: plan.clients }, runClient),
  followChanges({ member, journal: paced, random, stopped }),
]);
journal.close();
process.exit(0);
