import type { IncomingMessage } from "node:http";
import { refusal } from "./refusal.js";

/** The largest body of a request, and of all that are held, in bytes. */
const [largestBody, mostHeld] = [16 * 1024 * 1024, 256 * 1024 * 1024];

/** How many calls run at a time, of one approval and in all. */
const [mostOfApproval, mostCalls] = [64, 256];

/** A call that may run. */
interface Admitted {
  /** Reads the body of its request, which is held until the call leaves. */
  bodyOf(request: IncomingMessage): Promise<Buffer>;
  leave(): void;
}

/** Bounds the calls at a time, and their bodies: the broken upstream of one agent leaves room for the others. */
export function createAdmission(): (grantId: string) => Admitted {
  const calls = new Map<string, number>();
  let running = 0;
  let held = 0;
  return (grantId) => {
    const own = calls.get(grantId) ?? 0;
    if (own >= mostOfApproval || running >= mostCalls) {
      throw refusal("TOO_MANY_CALLS", "Too many requests of this agent are running. Wait for their answers.");
    }
    calls.set(grantId, own + 1);
    running += 1;
    let size = 0;
    return {
      async bodyOf(request) {
        const chunks: Buffer[] = [];
        for await (const chunk of request) {
          size += chunk.length;
          held += chunk.length;
          if (size > largestBody) throw refusal("BODY_TOO_LARGE", `The body has more than ${largestBody} bytes.`);
          if (held > mostHeld) {
            throw refusal("TOO_MANY_CALLS", "Too many large requests are running. Try again when they have ended.");
          }
          chunks.push(chunk);
        }
        return Buffer.concat(chunks);
      },
      leave() {
        running -= 1;
        held -= size;
        const left = (calls.get(grantId) ?? 1) - 1;
        if (left > 0) calls.set(grantId, left);
        else calls.delete(grantId);
      },
    };
  };
}
