import type { Transport } from "@connectrpc/connect";
import { createPlatformTransport, type PlatformClientOptions, type TokenProvider } from "@platform-rpc/client";
import { type CallRecorder, createCallRecorder } from "../inspector/call-recorder.js";
import { checkSession, fetchToken } from "./session.js";

/** How the console calls the platform. */
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
