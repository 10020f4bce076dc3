import { join } from "node:path";
import type { RenewableSession } from "@platform-rpc/client/session";
import { type Clients, createClients, findIssuer, openSession } from "@platform-rpc/program";
import { createLogin, type Login } from "./sign-in/login.js";

/** The OAuth client of this program, which the platform registers itself. */
const clientId = "platform-mcp";

/** What the tools use of the platform. */
export interface Platform {
  readonly session: Pick<RenewableSession, "scopes">;
  readonly login: Login;
  readonly clients: Clients;
}

export interface PlatformOptions {
  /** The URL of the API. */
  readonly apiUrl: string;
  /** The folder of the program's files. */
  readonly folder: string;
}

/** Returns a function that connects to the platform on its first call. A failed attempt is not kept. */
export function createPlatform({ apiUrl, folder }: PlatformOptions): () => Promise<Platform> {
  let connected: Promise<Platform> | undefined;
  const connect = async (): Promise<Platform> => {
    const issuer = await findIssuer(apiUrl);
    const session = openSession({ issuer, clientId, path: join(folder, "mcp-session.json") });
    return { session, login: createLogin(session), clients: createClients({ apiUrl, issuer }, session) };
  };
  return () => {
    connected ??= connect().catch((thrown: unknown) => {
      connected = undefined;
      throw thrown;
    });
    return connected;
  };
}
