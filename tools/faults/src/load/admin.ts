import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { Target } from "./plan.ts";
import type { Answer } from "./responses.ts";
import { postConnect } from "./send.ts";

/** How long `succeed` tries, in milliseconds. */
const patienceMs = 120_000;

/** Calls private operations. */
export interface Admin {
  /** Makes a call to one of the targets. @throws if no response arrives. */
  post(operation: string, body: object, requestId: string): Promise<Answer>;
  /** Makes a call that must succeed, and repeats it for up to two minutes. Returns the body of the response. */
  succeed(operation: string, body: object): Promise<unknown>;
}

/** Creates the caller of private operations. It reads the token of each target again when the target rejects it. */
export function createAdmin(pickTarget: () => Target): Admin {
  const tokens = new Map<string, string>();
  const post = async (operation: string, body: object, requestId: string): Promise<Answer> => {
    const { internalUrl, adminTokenFile } = pickTarget();
    const token = tokens.get(internalUrl) ?? (await readFile(adminTokenFile, "utf8"));
    tokens.set(internalUrl, token);
    const answer = await postConnect(`${internalUrl}/platform.internal.v1.${operation}`, body, { token, requestId });
    if (answer.status === 401) tokens.delete(internalUrl);
    return answer;
  };
  return {
    post,
    async succeed(operation, body) {
      const endsAt = performance.now() + patienceMs;
      for (;;) {
        const answer = await post(operation, body, crypto.randomUUID()).catch((error) => ({
          status: 0,
          text: `${error}`,
        }));
        if (answer.status === 200) return JSON.parse(answer.text);
        if (performance.now() > endsAt) throw new Error(`${operation} failed: ${answer.status} ${answer.text}`);
        await setTimeout(100);
      }
    },
  };
}
