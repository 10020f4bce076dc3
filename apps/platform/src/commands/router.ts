import { access, chmod, chown, constants, readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { errorCode } from "@platform-rpc/front/errors";
import { CommandError } from "./command-output.js";

/** The map of a router in front of cells, and the tenant whose line is changed. */
export interface RouterMap {
  readonly tenantId: string;
  /** The socket of the runtime API. */
  readonly router: string;
  /** The path of the map of tenants. */
  readonly map: string;
}

/** How long the router may take to answer, in milliseconds. */
const routerTimeout = 10_000;

/** Checks that the router and its map can be changed. @param cells of which the map must contain one. @throws CommandError */
export async function requireRouter(
  { router, map }: Omit<RouterMap, "tenantId">,
  cells: readonly string[],
): Promise<void> {
  if (!/^Name: HAProxy/m.test(await callRouter(router, "show info"))) {
    throw new CommandError(`${router} is not the socket of the runtime API of HAProxy. Name that one with --router.`);
  }
  const found = [...(await readMap({ router, map })).values()];
  if (found.length > 0 && !found.some((cell) => cells.includes(cell))) {
    throw new CommandError(`The map ${map} leads to no cell, but to ${found[0]}. Name the map of tenants with --map.`);
  }
  const { R_OK, W_OK } = constants;
  try {
    await access(map, R_OK);
    await access(dirname(await realpath(map)), W_OK);
  } catch (error) {
    rejectMap(map, error);
  }
}

/** Lets the router lead the calls of a tenant to a cell, also after it is started again. @throws CommandError */
export async function leadTo(cell: string, { tenantId, router, map }: RouterMap): Promise<void> {
  // The file first: a router that starts between the two steps reads it.
  await writeMap(cell, { tenantId, map });
  // A tenant that is not in the map is added.
  if ((await callRouter(router, `set map ${map} ${tenantId} ${cell}`)) !== "") {
    await callRouter(router, `add map ${map} ${tenantId} ${cell}`);
  }
  const now = (await readMap({ router, map })).get(tenantId);
  if (now !== cell) throw new CommandError(`The router still leads its calls to ${now ?? "no cell"}.`);
}

/** Returns the entries of a map of the router. Of several entries with one key, the router uses the first. */
async function readMap({ router, map }: Omit<RouterMap, "tenantId">): Promise<ReadonlyMap<string, string>> {
  const answer = await callRouter(router, `show map ${map}`);
  if (/^(?:Unknown|Can't|Cannot)/.test(answer)) {
    throw new CommandError(
      `The router has no map ${map}. Name the map of tenants with --map, as in its configuration.`,
    );
  }
  const entries = new Map<string, string>();
  for (const line of answer.split("\n")) {
    const [, key, value] = line.trim().split(/\s+/);
    if (key !== undefined && value !== undefined && !entries.has(key)) entries.set(key, value);
  }
  return entries;
}

/** Replaces the line of a tenant. The file keeps its owner and mode, also if the path is a symbolic link. */
async function writeMap(cell: string, { tenantId, map }: Omit<RouterMap, "router">): Promise<void> {
  try {
    const path = await realpath(map);
    const next = `${path}.next`;
    const { mode, uid, gid } = await stat(path);
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    const others = lines.filter((line) => line.trimStart().split(/\s/)[0] !== tenantId);
    await writeFile(next, [...others, `${tenantId} ${cell}`, ""].join("\n"));
    await chmod(next, mode);
    const own = await stat(next);
    if (own.uid !== uid || own.gid !== gid) await chown(next, uid, gid);
    await rename(next, path);
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
async function callRouter(router: string, command: string): Promise<string> {
  const socket = connect(router).end(`${command}\n`);
  socket.setTimeout(routerTimeout, () => socket.destroy(new Error("it does not answer")));
  const answer = await text(socket).catch((error: Error) => {
    const advice =
      errorCode(error) === "EACCES"
        ? `Run the command as a user who may use ${router}.`
        : "Name the socket of its runtime API, such as /run/haproxy/admin.sock.";
    throw new CommandError(`The router cannot be reached: ${error.message}. ${advice}`);
  });
  if (/^Permission/.test(answer)) throw new CommandError(`The router refused "${command}": ${answer.trim()}`);
  return answer.trim();
}
