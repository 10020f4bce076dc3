import { readFile } from "node:fs/promises";
import { errorCode } from "@platform-rpc/front/errors";
import * as z from "zod";
import { cellName, databaseUrl } from "../settings/values.js";
import { CommandError } from "./command-output.js";

const cellsSchema = z.record(cellName, databaseUrl).refine((cells) => Object.keys(cells).length > 0);

/**
 * Reads the cells: a JSON object with the URL of the database of each cell, as its owner, such as
 * `{"a": "postgres://owner@a.internal/platform"}`.
 *
 * @returns the URLs by the names of the cells, in the order of the names.
 * @throws CommandError. Its message contains no URL, which may have a password.
 */
export async function readCellsFile(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new CommandError(
      `${path} cannot be read (${errorCode(error) ?? "unknown error"}). Name a file that this user can read.`,
    );
  });
  const read = cellsSchema.safeParse(parseJson(text));
  if (!read.success) {
    const [entry] = read.error.issues[0]?.path ?? [];
    throw new CommandError(
      `${path} is not a JSON object with the URL of the database of each cell, such as {"a": "postgres://owner@a.internal/platform"}.` +
        (entry === undefined
          ? ""
          : ` The entry ${JSON.stringify(entry)} is wrong: a name has a-z, 0-9 and "-", and a URL begins with postgres://.`),
    );
  }
  for (const [name, url] of Object.entries(read.data)) {
    const [twin] = Object.entries(read.data).find(([other, same]) => other < name && same === url) ?? [];
    if (twin !== undefined)
      throw new CommandError(`The cells ${twin} and ${name} of ${path} have the same database. Each cell has its own.`);
  }
  return new Map(Object.entries(read.data).sort(([one], [two]) => (one < two ? -1 : 1)));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
