import { join } from "node:path";
import { createWriterKeys } from "@platform-rpc/client/crypto";
import {
  readSecretFile,
  removeSecretFile,
  type SigningKey,
  signingKey,
  writeSecretFile,
} from "@platform-rpc/signed-in";
import * as z from "zod";
import { folderOf } from "../session/connect.js";
import type { Terminal } from "../terminal/terminal.js";

const keyFile = z.object({ issuer: z.string(), accountId: z.string(), key: signingKey });

/** The person for whom the program signs. */
type Owner = Omit<z.infer<typeof keyFile>, "key">;

function pathIn(terminal: Terminal): string {
  return join(folderOf(terminal), "signing-key.json");
}

/** Returns the key with which this program signs items. It is made once for each login, so that a person certifies few of them. */
export async function programKey(terminal: Terminal, { issuer, accountId }: Owner): Promise<SigningKey> {
  const { data: stored } = keyFile.safeParse(await readSecretFile(pathIn(terminal)));
  if (stored?.issuer === issuer && stored.accountId === accountId) return stored.key;
  const { privateKey } = await createWriterKeys({ extractable: true });
  const key = signingKey.parse(await crypto.subtle.exportKey("jwk", privateKey));
  await writeSecretFile(pathIn(terminal), { issuer, accountId, key });
  return key;
}

export async function removeProgramKey(terminal: Terminal): Promise<void> {
  await removeSecretFile(pathIn(terminal));
}
