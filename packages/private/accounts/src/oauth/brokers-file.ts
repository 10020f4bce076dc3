import { readFile } from "node:fs/promises";
import { readProofKey } from "@platform-rpc/broker";
import { errorCode } from "@platform-rpc/front/errors";
import type { JSONWebKeySet } from "jose";
import * as z from "zod";

/** The brokers that may introspect tokens: their public keys by client id. */
export type Brokers = ReadonlyMap<string, JSONWebKeySet>;

/** Thrown when BROKERS_FILE cannot be used. The message contains no key. */
export class BrokersFileError extends Error {
  override readonly name = "BrokersFileError";
}

const brokersSchema = z.record(
  z.string().regex(/^[\x21-\x7e]{1,256}$/),
  z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) }),
);

/** Reads BROKERS_FILE: JSON with a JWK set for each client id. Without a file, there are no brokers. @throws BrokersFileError */
export async function readBrokers(path: string | undefined): Promise<Brokers> {
  if (path === undefined) return new Map();
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new BrokersFileError(
      `BROKERS_FILE ${path} cannot be read (${errorCode(error) ?? "unknown error"}). Set it to the path of a file that this user can read.`,
    );
  });
  const read = brokersSchema.safeParse(parseJson(text));
  if (!read.success) {
    throw new BrokersFileError(
      `BROKERS_FILE ${path} is not a JSON object with a JWK set for each client id, such as {"broker":{"keys":[…]}}.`,
    );
  }
  for (const [clientId, { keys }] of Object.entries(read.data)) {
    for (const key of keys) {
      if ((await readProofKey(JSON.stringify(key))) !== undefined) continue;
      throw new BrokersFileError(
        `BROKERS_FILE ${path}: a key of ${clientId} is not a public P-256 or Ed25519 key. Private keys do not belong there.`,
      );
    }
  }
  return new Map(Object.entries(read.data));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
