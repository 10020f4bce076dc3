import { type BoundSocket, bind } from "@platform-rpc/front/bound-socket";
import { defaultLimits } from "@platform-rpc/server/host";
import type { ConnectionNumbers } from "../process/open-files.js";
import type { Settings } from "../settings/settings.js";

/** Thrown when a socket cannot be bound. */
export class ListenError extends Error {
  override readonly name = "ListenError";

  constructor(
    readonly address: { readonly host: string; readonly port: number },
    /** The names of the settings for the address. */
    readonly settings: { readonly host: string; readonly port: string },
    cause: unknown,
  ) {
    super(`cannot listen on port ${address.port} of ${address.host}`, { cause });
  }
}

/** The sockets of the listeners. Without ACCOUNTS_TENANT, there are none for accounts and MCP. */
export interface Sockets {
  readonly public: BoundSocket;
  readonly internal: BoundSocket;
  readonly accounts: BoundSocket | undefined;
  readonly mcp: BoundSocket | undefined;
  /** Frees the ports at which no listener answers. */
  close(): Promise<void>;
}

/**
 * Binds the sockets of all listeners, so that every address is known before anything answers. Waits for all of them, so that one error
 * reports every port that is in use.
 *
 * @throws AggregateError with a ListenError for each socket that cannot be bound.
 */
export async function bindSockets(settings: Settings, connections: ConnectionNumbers): Promise<Sockets> {
  const { host, port, internalHost, internalPort, accountsHost, accountsPort, mcpHost, mcpPort } = settings;
  const hasAccounts = settings.accountsTenant !== undefined;
  const results = await Promise.all([
    bindSocket("", { host, port, connections: connections.public }),
    bindSocket("INTERNAL_", { host: internalHost, port: internalPort, connections: settings.internalConnections }),
    hasAccounts
      ? bindSocket("ACCOUNTS_", { host: accountsHost, port: accountsPort, connections: connections.accounts })
      : undefined,
    hasAccounts ? bindSocket("MCP_", { host: mcpHost, port: mcpPort, connections: connections.mcp }) : undefined,
  ]);
  const close = async () => {
    await Promise.all(results.map((result) => (result instanceof ListenError ? undefined : result?.close())));
  };
  const [first, internal, accounts, mcp] = results;
  if (
    first instanceof ListenError ||
    internal instanceof ListenError ||
    accounts instanceof ListenError ||
    mcp instanceof ListenError
  ) {
    await close();
    throw new AggregateError(results.filter((result) => result instanceof ListenError));
  }
  return { public: first, internal, accounts, mcp, close };
}

/** @param prefix that of its settings, such as `INTERNAL_` of `INTERNAL_HOST` and `INTERNAL_PORT`. */
async function bindSocket(
  prefix: string,
  at: { readonly host: string; readonly port: number; readonly connections: number },
): Promise<BoundSocket | ListenError> {
  const { backlog } = defaultLimits;
  return bind({ ...at, backlog }).catch(
    (cause: unknown) => new ListenError(at, { host: `${prefix}HOST`, port: `${prefix}PORT` }, cause),
  );
}
