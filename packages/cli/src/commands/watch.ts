import { chooseVault, ProgramError, summaryOf } from "@platform-rpc/program";
import { connect } from "../session/connect.js";
import { printLine, printNotice, type Terminal } from "../terminal.js";
import { createReconnection } from "./reconnection.js";

export interface WatchOptions {
  readonly vault?: string;
  readonly cursor?: number;
  readonly json?: boolean;
}

/**
 * Prints each change of a vault as it happens, until Ctrl+C. Continues after the platform could not be reached. At the end, prints the
 * position to continue from.
 */
export async function watch(terminal: Terminal, { vault, cursor = 0, json = false }: WatchOptions): Promise<void> {
  const { signal } = terminal;
  const connection = await connect(terminal, ["vault.items:read"]);
  const vaultId = await chooseVault(connection, vault, signal);
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
            ? JSON.stringify({ sequence, ...summary })
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
