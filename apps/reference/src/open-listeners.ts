import type { Listener } from "@platform-rpc/server";
import { listenerUrl } from "./listener-url.js";
import { ListenError } from "./start-error.js";

/** A listener, and where it is to listen. */
export interface ListenerAddress {
  readonly listener: Listener;
  readonly host: string;
  readonly port: number;
  /** Begins the names of the settings that say where: `HOST` and `PORT` follow. */
  readonly prefix: string;
}

/**
 * Opens both listeners, and tells their URLs. Waits for both, so that whoever has to free two ports learns it at once.
 *
 * @throws AggregateError of a ListenError for each that cannot be opened.
 */
export async function openListeners(first: ListenerAddress, second: ListenerAddress): Promise<[string, string]> {
  const settled = await Promise.allSettled([open(first), open(second)] as const);
  const [one, two] = settled;
  if (one.status === "fulfilled" && two.status === "fulfilled") return [one.value, two.value];
  throw new AggregateError(settled.flatMap((result) => (result.status === "rejected" ? [result.reason] : [])));
}

async function open({ listener, host, port, prefix }: ListenerAddress): Promise<string> {
  try {
    return listenerUrl(host, (await listener.listen(port, host)).port);
  } catch (cause) {
    throw new ListenError({ host, port }, { host: `${prefix}HOST`, port: `${prefix}PORT` }, cause);
  }
}
