import type { Journal } from "../history/journal.ts";
import { endOfFailedSend } from "./failed-send.ts";
import type { Member } from "./member.ts";
import { fixture } from "./plan.ts";
import type { Random } from "./random.ts";
import { endOf, listResult } from "./responses.ts";

const { vaults } = fixture;

/**
 * Follows the changes of a vault through the member API until `stopped`: pages of any size, each from any process, waiting for the next
 * change at the end, and sometimes from the start again.
 */
export async function followChanges(deps: {
  readonly member: Member;
  readonly journal: Journal;
  readonly random: Random;
  readonly stopped: () => boolean;
}): Promise<void> {
  const { member, journal, random, stopped } = deps;
  const vaultId = random.pick(vaults);
  for (let after = 0; !stopped(); ) {
    const body = { vaultId, afterSequence: after, limit: 1 + random.below(20), waitSeconds: 2 };
    const requestId = crypto.randomUUID();
    const end = await journal.record({ on: "vault", kind: "list", vaultId, after }, requestId, () =>
      member.post("ListChanges", body, requestId).then((answer) => endOf(answer, listResult), endOfFailedSend),
    );
    if (!("result" in end)) continue;
    // CURSOR_AHEAD after a lost history: a follower discards its copy.
    after = "cursor" in end.result && !random.chance(0.02) ? end.result.cursor : 0;
  }
}
