import { finished, type Readable } from "node:stream";
import { refusal } from "./refusal.js";

/** The largest body of a request, in bytes. */
const largestBody = 16 * 1024 * 1024;

/** How many calls run at a time, of one approval and in all. */
const [mostOfApproval, mostCalls] = [64, 256];

/**
 * Bounds the calls at a time, and their bodies: the broken upstream of one agent leaves room for the others.
 *
 * @param mostHeld how large all bodies that are held can be, in bytes
 */
export function createAdmission(mostHeld = 256 * 1024 * 1024) {
  const calls = new Map<string, number>();
  let running = 0;
  let held = 0;
  /** Admits a call, or throws a Refusal TOO_MANY_CALLS. */
  return (approvalId: string) => {
    const own = calls.get(approvalId) ?? 0;
    if (own >= mostOfApproval || running >= mostCalls) {
      const whose = own >= mostOfApproval ? "of this agent" : "of all agents together";
      throw refusal("TOO_MANY_CALLS", `Too many requests ${whose} are running. Wait for their answers.`);
    }
    calls.set(approvalId, own + 1);
    running += 1;
    let size = 0;
    /** Counts bytes that the call holds besides, until it leaves. @throws Refusal TOO_MANY_CALLS */
    const hold = (bytes: number) => {
      size += bytes;
      held += bytes;
      if (held <= mostHeld) return;
      throw refusal("TOO_MANY_CALLS", "Too many large requests are running. Try again when they have ended.");
    };
    return {
      hold,
      /** Reads the body of its request, which is held until the call leaves. */
      bodyOf(request: Readable) {
        const chunks: Buffer[] = [];
        return new Promise<Buffer>((resolve, reject) => {
          const add = (chunk: Buffer) => {
            try {
              if (size + chunk.length > largestBody) {
                throw refusal("BODY_TOO_LARGE", `The body has more than ${largestBody} bytes.`);
              }
              hold(chunk.length);
              chunks.push(chunk);
            } catch (refused) {
              reject(refused);
              // The rest is discarded, so that the agent can read the refusal and send another request.
              request.off("data", add).resume();
            }
          };
          request.on("data", add);
          finished(request, { writable: false }, (error) => (error ? reject(error) : resolve(Buffer.concat(chunks))));
        });
      },
      leave() {
        running -= 1;
        held -= size;
        const left = (calls.get(approvalId) ?? 1) - 1;
        if (left > 0) calls.set(approvalId, left);
        else calls.delete(approvalId);
      },
    };
  };
}
