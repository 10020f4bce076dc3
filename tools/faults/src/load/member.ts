import type { Journal } from "../history/journal.ts";
import { fixture, type Target } from "./plan.ts";
import type { Random } from "./random.ts";
import { type Answer, endOf, type IssuedToken, listResult } from "./responses.ts";
import { endOfFailedSend, postConnect } from "./send.ts";

/** Calls operations of members, on the accounts listener. */
export interface Member {
  /** Makes a call to one of the targets. @throws if no response arrives. */
  post(method: string, body: object, requestId: string): Promise<Answer>;
}

/** Creates a caller with tokens from `issue`. It takes a new one when a target rejects the last one. */
export function createMember(pickTarget: () => Target, issue: () => Promise<IssuedToken>): Member {
  let token: Promise<IssuedToken> | undefined;
  return {
    async post(method, body, requestId) {
      token ??= issue();
      const used = token;
      const url = `${pickTarget().accountsUrl}/platform.accounts.v1.MemberVaultService/${method}`;
      const answer = await postConnect(url, body, { token: (await used).accessToken, requestId });
      if (answer.status === 401 && token === used) token = undefined;
      return answer;
    },
  };
}

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
