import { ProgramError, platformErrorOf, summaryOf } from "@platform-rpc/signed-in";
import { asJson, printLine, printNotice, type Terminal } from "../terminal/terminal.js";
import { findVault, openAccess } from "../vaults/find-vault.js";

export interface WatchOptions {
  readonly vault?: string;
  readonly cursor?: number;
  readonly json?: boolean;
}

/** Prints each change as it happens, also after an outage of the platform, until Ctrl+C. Then prints where to continue. */
export async function watch(terminal: Terminal, { vault, cursor = 0, json = false }: WatchOptions): Promise<void> {
  const { signal } = terminal;
  const connection = await openAccess(terminal, ["vault.items:read"]);
  const vaultId = await findVault(connection, vault);
  const reconnection = createReconnection(terminal, (text) => printNotice(terminal, text, { json }));
  let afterSequence = cursor;
  try {
    for (;;) {
      const page = await reconnection((again) =>
        connection.member.listChanges(
          // After a failure, the response does not wait for a change: it shows that the platform is back.
          { vaultId, afterSequence, limit: 100, waitSeconds: again ? 0 : 25 },
          { signal },
        ),
      );
      const next = page.cursor?.sequence ?? afterSequence;
      // It would repeat them for ever.
      if (page.changes.length > 0 && next <= afterSequence) {
        throw new ProgramError("The server sent changes that do not continue the ones before. Ask its operator.");
      }
      for (const { sequence, item } of page.changes) {
        if (item === undefined) continue;
        const summary = summaryOf(item);
        const verb = item.deleted ? "deleted" : "changed";
        printLine(
          terminal,
          json
            ? asJson("watch", { sequence, ...summary })
            : `${sequence}  ${verb}  ${item.itemId}  version ${item.version}`,
        );
      }
      afterSequence = next;
    }
  } finally {
    // With --json, each line contains its position.
    if (!json && afterSequence > cursor)
      terminal.err(`To continue from here: platform watch --vault ${vaultId} --cursor ${afterSequence}\n`);
  }
}

const [shortestMs, longestMs] = [1_000, 30_000];

/** Makes a call that is safe to repeat; `again` after a failure. */
type Reconnection = <Result>(call: (again: boolean) => Promise<Result>) => Promise<Result>;

/**
 * Creates a function that makes a call, and repeats it for as long as the platform cannot be reached: after 1 s, later every 30 s at
 * most. Notifies when the connection is lost and when it is back. Every other error is thrown, and so is every error before the first
 * call that succeeds.
 */
function createReconnection({ sleep }: Pick<Terminal, "sleep">, notify: (text: string) => void): Reconnection {
  let connectedBefore = false;
  let failures = 0;
  return async (call) => {
    for (;;) {
      try {
        const result = await call(failures > 0);
        if (failures > 0) notify("Connected again.");
        connectedBefore = true;
        failures = 0;
        return result;
      } catch (thrown) {
        const error = platformErrorOf(thrown);
        if (!connectedBefore || !error?.retryable) throw thrown;
        if (failures === 0) {
          notify(`The platform cannot be reached (${error.reason}). Trying again until it can; Ctrl+C ends the watch.`);
        }
        await sleep(Math.max(error.retryAfterMs ?? 0, backOffMs(failures)));
        failures += 1;
      }
    }
  };
}

/** Doubles with each failure. Half of it is random, so that the watches of many people do not return at the same moment. */
function backOffMs(failures: number): number {
  const most = Math.min(longestMs, shortestMs * 2 ** failures);
  return most * (1 - Math.random() / 2);
}
