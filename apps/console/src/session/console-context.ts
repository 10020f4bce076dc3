import type { Transport } from "@connectrpc/connect";
import { createPlatformTransport, type PlatformClientOptions, type TokenProvider } from "@platform-rpc/client";
import { createContext, useContext } from "react";
import { type CallRecorder, createCallRecorder } from "./call-recorder.js";
import { type ConsoleSession, checkSession, fetchToken } from "./session.js";

export interface Calls {
  /** The member API, on the accounts origin. */
  readonly member: Transport;
  /** The public API. */
  readonly api: Transport;
  /** Records the calls of both. */
  readonly recorder: CallRecorder;
}

/** Creates the transports. Their tokens stay in memory. */
export function createCalls(apiUrl: string): Calls {
  const token: TokenProvider = ({ signal }) => fetchToken(signal);
  const recorder = createCallRecorder(async (url, init) => {
    const response = await fetch(url, init);
    if (response.status === 401) checkSession();
    return response;
  });
  // The console shows errors itself.
  const options: PlatformClientOptions = { token, fetch: recorder.fetch, logLevel: "off" };
  return {
    member: createPlatformTransport({ baseUrl: location.origin, ...options }),
    api: createPlatformTransport({ baseUrl: apiUrl, ...options }),
    recorder,
  };
}

/** What every part of the console shares. */
interface ConsoleParts {
  readonly session: ConsoleSession;
  readonly calls: Calls;
}

export const ConsoleContext = createContext<ConsoleParts | undefined>(undefined);

/** Returns the session and the calls. @throws TypeError outside of the context */
export function useConsole(): ConsoleParts {
  const parts = useContext(ConsoleContext);
  if (parts === undefined) throw new TypeError("useConsole needs a ConsoleContext.");
  return parts;
}
