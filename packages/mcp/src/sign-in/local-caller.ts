import type { Caller } from "../tools/create-mcp-server.js";
import type { Platform } from "./platform.js";
import { type LocalCall, requireSession } from "./require-session.js";

export interface LocalCallerOptions extends Pick<LocalCall, "approvalWait">, Pick<Caller, "broker"> {
  readonly connect: () => Promise<Platform>;
}

/** Creates the caller that is the person on this machine, who signs in when a tool needs it. */
export function createLocalCaller({ connect, approvalWait, broker }: LocalCallerOptions): Caller {
  return {
    broker,
    withoutTitles: "Titles are encrypted. To see them, run on this computer: platform unlock",
    async connect(request) {
      const platform = await connect();
      const answer = await requireSession({ ...request, platform, approvalWait });
      // The clients of the session: a login replaces them.
      return answer === undefined ? { clients: platform.clients, unlocked: await platform.unlocked() } : { answer };
    },
  };
}
