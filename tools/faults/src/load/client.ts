import { setTimeout } from "node:timers/promises";
import { Agent, setGlobalDispatcher } from "undici";
import { type Journal, openJournal } from "../history/journal.ts";
import { createAdmin } from "./admin.ts";
import { createAuthorizationAction } from "./authorizations.ts";
import { createItemActions, createKnownItems } from "./items.ts";
import { fixture, type Plan } from "./plan.ts";
import { createRandom } from "./random.ts";
import { createRecordedClient } from "./recorded-fetch.ts";
import { readIssuedToken } from "./responses.ts";

// A client process: makes the calls of its plan, and records them.

const plan: Plan = JSON.parse(process.argv[2] ?? "");
// Without a limit, each moment with more concurrent calls than before would add connections.
setGlobalDispatcher(new Agent({ connections: 2 * plan.clients }));
const journal = openJournal(plan.journal);
const random = createRandom(plan.seed);
const known = createKnownItems();
const startedAt = performance.now();
let made = 0;
let stopped = false;
process.on("SIGTERM", () => {
  stopped = true;
});

/** Does not call a platform that is down as often as one that answers. */
const paced: Journal = {
  ...journal,
  async record(request, requestId, make) {
    made += 1;
    const end = await journal.record(request, requestId, make);
    if (!("result" in end)) await setTimeout(20);
    return end;
  },
};

const pickTarget = () => random.pick(plan.targets);
const admin = createAdmin(pickTarget);
const clientOf = (caller: { readonly principalId: string; readonly oauthClientId: string }, own: boolean) =>
  createRecordedClient({
    journal: paced,
    pickTarget,
    own,
    ended: known.learn,
    token: async () => {
      const body = { tenantId: fixture.tenantId, ...caller, scopes: fixture.scopes, expiresInSeconds: 0 };
      const token = readIssuedToken(await admin.succeed("AccessAdminService/IssueAccessToken", body));
      const result = { ok: true, status: "issued", tokenIds: [token.tokenId] } as const;
      await journal.record({ on: "token", kind: "issue" }, "", async () => ({ result }));
      return token;
    },
  });
const client = clientOf(fixture.agent, true);
const stranger = clientOf(fixture.stranger, false);

const deps = { client, stranger, admin, journal: paced, known, random };
const actions = [...createItemActions(deps), [3, createAuthorizationAction(deps)] as const];
const total = actions.reduce((sum, [weight]) => sum + weight, 0);

function pickAction(): () => Promise<unknown> {
  let left = random.next() * total;
  for (const [weight, action] of actions) {
    left -= weight;
    if (left < 0) return action;
  }
  return () => Promise.resolve();
}

async function runClient(): Promise<void> {
  while (!stopped && (plan.calls === undefined || made < plan.calls)) {
    // A rejected call is an end like any other: the journal contains it.
    await pickAction()().catch(() => undefined);
    if (plan.callsPerSecond !== undefined) {
      const dueInMs = (made / plan.callsPerSecond) * 1000 - (performance.now() - startedAt);
      if (dueInMs > 0) await setTimeout(dueInMs);
    }
  }
}

await Promise.all(Array.from({ length: plan.clients }, runClient));
journal.close();
process.exit(0);
