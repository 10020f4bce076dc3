import type { Door } from "@platform-rpc/server";
import { listenerUrl } from "./listener-url.js";
import { ListenFailure } from "./start-failure.js";

/** A door, and where it is to listen. */
export interface Listener {
  readonly door: Door;
  readonly host: string;
  readonly port: number;
  /** Begins the names of the settings that say where: `HOST` and `PORT` follow. */
  readonly prefix: string;
}

/**
 * Opens both listeners, and tells their URLs. Waits for both, so that whoever has to free two ports learns it at once.
 *
 * @throws AggregateError of a ListenFailure for each that cannot be opened.
 */
export async function openListeners(first: Listener, second: Listener): Promise<[string, string]> {
  const settled = await Promise.allSettled([open(first), open(second)] as const);
  const [one, two] = settled;
  if (one.status === "fulfilled" && two.status === "fulfilled") return [one.value, two.value];
  throw new AggregateError(settled.flatMap((result) => (result.status === "rejected" ? [result.reason] : [])));
}

async function open({ door, host, port, prefix }: Listener): Promise<string> {
  try {
    return listenerUrl(host, (await door.listen(port, host)).port);
  } catch (cause) {
    throw new ListenFailure({ host, port }, { host: `${prefix}HOST`, port: `${prefix}PORT` }, cause);
  }
}
