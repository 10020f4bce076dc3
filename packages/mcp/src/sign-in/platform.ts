import { join } from "node:path";
import type { RenewableSession } from "@platform-rpc/client/session";
import {
  type BrokerSession,
  type Clients,
  createClients,
  findIssuer,
  logIn,
  type OpenSessionOptions,
  openBrokerSession,
  openSession,
  openSessionStore,
  readUnlocked,
  type UnlockedVaults,
} from "@platform-rpc/signed-in";
import { createLogin, type Login } from "./login.js";

/** The OAuth client of this program, which the platform registers itself. */
const clientId = "platform-mcp";

/** What the tools use of the platform. */
export interface Platform {
  readonly apiUrl: string;
  readonly session: Pick<RenewableSession, "scopes">;
  readonly login: Login;
  readonly clients: Clients;
  /** Returns the vaults that the person has unlocked on this machine, until they expire or are locked. */
  unlocked(): Promise<UnlockedVaults | undefined>;
  /** Opens the login for requests to the broker. It follows a login that replaces it. */
  openBrokerSession(): Promise<BrokerSession>;
}

export interface PlatformOptions extends Pick<OpenSessionOptions, "clock"> {
  readonly apiUrl: string;
  /** The folder of the program's files. */
  readonly folder: string;
  /** Writes a notice to the log of the program. */
  readonly notify: (text: string) => void;
  /** Ends a login that nobody has approved yet. */
  readonly signal: AbortSignal;
}

/** Returns a function that connects to the platform on its first call. A failed attempt is not kept. */
export function createPlatform({ apiUrl, folder, notify, signal, clock }: PlatformOptions): () => Promise<Platform> {
  let connected: Promise<Platform> | undefined;
  const connect = async (): Promise<Platform> => {
    const issuer = await findIssuer(apiUrl);
    const sessionOptions = { issuer, resource: apiUrl, clientId, path: join(folder, "mcp-session.json"), clock };
    const store = openSessionStore(sessionOptions.path);
    const open = () => {
      const session = openSession(sessionOptions);
      return { session, clients: createClients({ apiUrl, issuer }, session) };
    };
    let opened = open();
    const login = createLogin(async (options) => {
      const signals = [signal, ...(options.signal ? [options.signal] : [])];
      const endReplaced = await logIn(sessionOptions, { ...options, signal: AbortSignal.any(signals) });
      // The clients still have the access token of the previous session, which may allow less.
      opened = open();
      // The login has succeeded: it neither waits for the server of the previous session nor fails with it.
      endReplaced().catch((error: Error) => notify(error.message));
    });
    return {
      apiUrl,
      login,
      unlocked: async () => readUnlocked(folder, await store.load()),
      openBrokerSession: () => openBrokerSession(sessionOptions),
      get session() {
        return opened.session;
      },
      get clients() {
        return opened.clients;
      },
    };
  };
  return () => {
    connected ??= connect().catch((thrown: unknown) => {
      connected = undefined;
      throw thrown;
    });
    return connected;
  };
}
