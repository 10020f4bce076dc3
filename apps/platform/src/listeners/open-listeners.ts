import { listenerUrl } from "../settings/listener-url.js";

/** Thrown when a listener cannot be opened. */
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

export interface ListenerAddress {
  readonly listener: { listen(port: number, host: string): Promise<{ readonly port: number }> };
  readonly host: string;
  readonly port: number;
  /** The prefix of its settings, such as `INTERNAL_` of `INTERNAL_HOST` and `INTERNAL_PORT`. */
  readonly prefix: string;
}

/**
 * Opens the listeners and returns the URLs of the first two. Waits for all of them, so that one error reports every port that is in use.
 *
 * @throws AggregateError with a ListenError for each listener that cannot be opened.
 */
export async function openListeners(
  first: ListenerAddress,
  second: ListenerAddress,
  ...others: readonly ListenerAddress[]
): Promise<[string, string]> {
  const settled = await Promise.allSettled([open(first), open(second), ...others.map(open)] as const);
  const [one, two] = settled;
  if (
    settled.every(({ status }) => status === "fulfilled") &&
    one.status === "fulfilled" &&
    two.status === "fulfilled"
  ) {
    return [one.value, two.value];
  }
  throw new AggregateError(settled.flatMap((result) => (result.status === "rejected" ? [result.reason] : [])));
}

async function open({ listener, host, port, prefix }: ListenerAddress): Promise<string> {
  try {
    return listenerUrl(host, (await listener.listen(port, host)).port);
  } catch (cause) {
    throw new ListenError({ host, port }, { host: `${prefix}HOST`, port: `${prefix}PORT` }, cause);
  }
}
