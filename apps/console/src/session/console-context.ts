import { type Client, createClient } from "@connectrpc/connect";
import { createPlatformTransport, type PlatformClientOptions, type TokenProvider } from "@platform-rpc/client";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { createContext, useContext } from "react";
import type { OpenedSession } from "./open-session.js";
import { type ConsoleSession, checkSession, fetchAnswer, fetchToken } from "./session.js";

/** The member API, on the accounts origin. */
export type Members = Client<typeof MemberVaultService>;

/** What the page reads by itself. If all connections are used, what the person does goes first. */
const isRead = /\/(ListChanges|WatchVaults)$/;

/** Creates the client. Its tokens stay in memory. @param first the first of them */
export function createMembers(first: OpenedSession["token"]): Members {
  let early = first;
  const token: TokenProvider = ({ signal }) => {
    const token = early ?? fetchToken(signal);
    early = undefined;
    return token;
  };
  const options: PlatformClientOptions = {
    token,
    async fetch(url, init) {
      const priority = isRead.test(url) ? "low" : "auto";
      // The page also sends it while it is left.
      const keepalive = url.endsWith("/PutVaultHead");
      const response = await fetchAnswer(url, { ...init, priority, keepalive });
      if (response.status === 401) checkSession();
      return response;
    },
    // The console shows errors itself.
    logLevel: "off",
  };
  return createClient(MemberVaultService, createPlatformTransport({ baseUrl: location.origin, ...options }));
}

interface ConsoleParts {
  readonly session: ConsoleSession;
  readonly members: Members;
}

export const ConsoleContext = createContext<ConsoleParts | undefined>(undefined);

/** The event of the page that the person has stored their recovery code. */
export const codeStored = "vault-recovery-code-stored";

export function useConsole(): ConsoleParts {
  const parts = useContext(ConsoleContext);
  if (parts === undefined) throw new TypeError("useConsole needs a ConsoleContext.");
  return parts;
}
