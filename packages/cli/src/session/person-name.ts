import { printable } from "@platform-rpc/client";
import type { ProgramClients } from "@platform-rpc/signed-in";
import type { Scope } from "./connect.js";

/** A name is not worth more waiting. */
const longestMs = 3000;

const needed: Scope = "vault.items:read";

/** Returns what the signed-in person is called. Undefined if the server does not say so, or the program may not ask. */
export async function personName(
  { person }: Pick<ProgramClients, "person">,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!scopes.includes(needed)) return undefined;
  try {
    const { displayName } = await person.getPerson({}, { signal, timeoutMs: longestMs });
    return printable(displayName) || undefined;
  } catch {
    return undefined;
  }
}
