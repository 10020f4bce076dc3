import type { Target } from "./plan.ts";
import type { Answer, IssuedToken } from "./responses.ts";
import { postConnect } from "./send.ts";

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
