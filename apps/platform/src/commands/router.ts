import { access, constants, readFile, rename, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { CommandError } from "./command-output.js";

/** The map of a router in front of cells, and the tenant whose line is changed. */
export interface RouterMap {
  readonly tenantId: string;
  /** The socket of the runtime API. */
  readonly router: string;
  /** The path of the map of tenants. */
  readonly map: string;
}

/** Finds out before a move whether the router and its map can be changed. @throws CommandError */
export async function requireRouter({ router, map }: Omit<RouterMap, "tenantId">): Promise<void> {
  await callRouter(router, `show map ${map}`);
  const { R_OK, W_OK } = constants;
  await Promise.all([access(map, R_OK), access(dirname(map), W_OK)]).catch((error) => rejectMap(map, error));
}

/** Lets the router lead the calls of a tenant to a cell, also after it is started again. @throws CommandError */
export async function leadTo(cell: string, { tenantId, router, map }: RouterMap): Promise<void> {
  // The file first: a router that starts between the two steps reads it.
  await writeMap(cell, { tenantId, map });
  // A tenant that is not in the map is added.
  if ((await callRouter(router, `set map ${map} ${tenantId} ${cell}`)) === "") return;
  await callRouter(router, `add map ${map} ${tenantId} ${cell}`);
}

async function writeMap(cell: string, { tenantId, map }: Omit<RouterMap, "router">): Promise<void> {
  const next = `${map}.next`;
  try {
    const lines = (await readFile(map, "utf8")).trimEnd().split("\n");
    const others = lines.filter((line) => line.split(/\s/)[0] !== tenantId);
    await writeFile(next, [...others, `${tenantId} ${cell}`, ""].join("\n"));
    await rename(next, map);
  } catch (error) {
    rejectMap(map, error);
  }
}

function rejectMap(map: string, error: unknown): never {
  throw new CommandError(
    `The map of the router cannot be changed: ${error instanceof Error ? error.message : error}. Start the command again on the ` +
      `machine of the router, as a user who may write to the folder of ${map}.`,
  );
}

/** Sends a command to the runtime API of HAProxy. Returns the answer without white space at its ends. @throws CommandError */
async function callRouter(socket: string, command: string): Promise<string> {
  const answer = await text(connect(socket).end(`${command}\n`)).catch((error: Error) => {
    throw new CommandError(
      `The router cannot be reached: ${error.message}. Name the socket of its runtime API, such as /run/haproxy/admin.sock.`,
    );
  });
  if (/^(?:Unknown|Permission)/.test(answer))
    throw new CommandError(`The router refused "${command}": ${answer.trim()}`);
  return answer.trim();
}
