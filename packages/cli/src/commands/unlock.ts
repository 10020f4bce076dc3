import { certifiedWriter, importVerificationKey, writerIdOf } from "@platform-rpc/items/unlock/certificate";
import { createEncryptionKey, receive } from "@platform-rpc/items/unlock/hand-over";
import { type UnlockRequest, unlockCode } from "@platform-rpc/items/unlock/unlock-code";
import {
  findPages,
  listVaults,
  type MemberVault,
  ProgramError,
  platformErrorOf,
  removeUnlocked,
  userAgentOf,
  writeUnlocked,
} from "@platform-rpc/signed-in";
import yoctoSpinner from "yocto-spinner";
import * as z from "zod";
import { type Connection, clientId, connect, folderOf, loadClaims } from "../session/connect.js";
import { findBrowser } from "../terminal/find-browser.js";
import { asJson, printLine, printNotice, type Terminal } from "../terminal/terminal.js";
import { confirmPerson, findPerson, rememberPerson } from "../unlocked/confirmed-people.js";
import { programKey, removeProgramKey } from "../unlocked/program-key.js";

export interface UnlockOptions {
  /** How long the keys stay, in milliseconds. */
  readonly for: number;
  readonly json?: boolean;
}

/** How often the program asks whether the person has answered, in milliseconds. */
const everyMs = 2000;

const text = z.string();
/** Verified before it is used. */
const handedOver = z.object({
  pageKey: text,
  vaults: z.array(z.object({ vaultId: text, keyId: text, epoch: z.number(), wrappedKey: text })),
  certificate: z.object({ signingKey: text, signature: text }),
  removed: z.array(text),
  signature: text,
});

/** Asks the person, in their browser, for the keys of their vaults, and keeps them for a while. */
export async function unlock(terminal: Terminal, { for: lifeMs, json = false }: UnlockOptions): Promise<void> {
  const connection = await connect(terminal, ["vault.items:read"]);
  const { issuer, unlocks } = connection;
  const { signal } = terminal;
  const claims = await loadClaims(terminal);
  const account = { issuer, tenantId: claims.tenant_id, accountId: claims.sub };
  const { privateKey, encryptionKey } = await createEncryptionKey();
  const unlockId = crypto.randomUUID();
  const ask = async () => {
    const key = await programKey(terminal, account);
    // The page says from which device the request came.
    const headers = { "User-Agent": userAgentOf(clientId) };
    const asked = { unlockId, encryptionKey, signingKey: key.x };
    const { signingKeyRemoved } = await unlocks.requestUnlock(asked, { signal, headers }).catch(explainRefusal);
    return { key, signingKeyRemoved };
  };
  let asked = await ask();
  if (asked.signingKeyRemoved) {
    // The person has removed its certificate, which is final.
    await removeProgramKey(terminal);
    asked = await ask();
  }
  const signingKey = asked.key;
  const request = { ...account, unlockId, encryptionKey, signingKey: signingKey.x };

  const answer = await waitForAnswer(terminal, connection, request, json);
  const personKey = await importVerificationKey(answer.personKey).catch(refuse);
  const handOver = handedOver.safeParse(parsed(answer.handOver)).data ?? refuse();
  const known = await findPerson(terminal, account, answer.personKey);
  const { wrappingKey, vaults, ...received } = await receive(request, handOver, { privateKey, personKey }).catch(
    refuse,
  );
  if (known === undefined) await confirmPerson(terminal, request, { personKey: answer.personKey, json });
  // The server may list a removed certificate again, also to a browser that does not know of the removal.
  const removed = new Set([...(known?.removed ?? []), ...received.removed]);
  await rememberPerson(terminal, account, { personKey: answer.personKey, removed: [...removed] });
  const listed = answer.certificates.filter((certificate) => !removed.has(certificate.signingKey));
  const certified = listed.map((certificate) => certifiedWriter(certificate, request, personKey));
  const programs = (await Promise.all(certified)).filter((writer) => writer !== undefined);
  const writers = [{ writerId: account.accountId, publicKey: personKey }, ...programs].map(
    async ({ writerId, publicKey }) => {
      const { x = "" } = await crypto.subtle.exportKey("jwk", publicKey);
      return { writerId, publicKey: x };
    },
  );
  const expiresAt = new Date(Date.now() + lifeMs).toISOString();
  await writeUnlocked(folderOf(terminal), {
    ...account,
    unlockId,
    expiresAt,
    wrappingKey: Buffer.from(wrappingKey).toString("base64url"),
    vaults: [...vaults],
    writers: await Promise.all(writers),
    writerId: await writerIdOf(signingKey.x),
    signingKey,
  });

  const left = (await listVaults(connection, signal)).filter((vault) => !isIn(vaults, vault));
  const leftOut = left.map(({ vaultId }) => vaultId);
  if (json) {
    const unlocked = vaults.map(({ vaultId }) => vaultId);
    return printLine(terminal, asJson("unlock", { expiresAt, vaults: unlocked, leftOut }));
  }
  if (leftOut.length > 0) {
    printNotice(terminal, `Not unlocked, because they have no key that you can open: ${leftOut.join(", ")}.`, {});
  }
  const count = vaults.length === 1 ? "1 vault is" : `${vaults.length} vaults are`;
  printLine(terminal, `${count} unlocked until ${new Date(expiresAt).toLocaleTimeString()}. To lock: platform lock`);
}

export async function lock(terminal: Terminal): Promise<void> {
  const removed = await removeUnlocked(folderOf(terminal));
  printLine(terminal, removed ? "Locked: the keys of your vaults are removed from this computer." : "Locked already.");
}

async function waitForAnswer(
  terminal: Terminal,
  { issuer, unlocks }: Pick<Connection, "issuer" | "unlocks">,
  request: UnlockRequest,
  json: boolean,
) {
  const { unlockId } = request;
  const { signal } = terminal;
  const page = `${await findPages(issuer, signal)}/console/unlock/${unlockId}`;
  const code = await unlockCode(request);
  const openPage = await findBrowser(terminal.environment);
  const spinner = yoctoSpinner({ text: "Waiting for you in the browser", stream: process.stderr });
  if (json) printLine(terminal, asJson("unlock", { code, page }));
  else {
    const opens = openPage === undefined ? "Open this page in your browser:" : "Your browser opens this page:";
    terminal.err(`${opens}\n${page}\nType this code there:\n\n  ${code}\n\n`);
    if (terminal.interactive) spinner.start();
  }
  openPage?.(page);
  try {
    for (;;) {
      const answer = await unlocks.getUnlock({ unlockId }, { signal });
      if (answer.state === "handed_over") return answer;
      if (answer.state !== "pending") {
        throw new ProgramError("Nobody has answered within 10 minutes. Run platform unlock again.");
      }
      await terminal.sleep(everyMs);
      signal.throwIfAborted();
    }
  } finally {
    spinner.stop();
  }
}

function isIn(vaults: readonly { readonly vaultId: string }[], { vaultId }: MemberVault): boolean {
  return vaults.some((vault) => vault.vaultId === vaultId);
}

function explainRefusal(error: unknown): never {
  if (platformErrorOf(error)?.reason !== "VAULT_NOT_FOUND") throw error;
  throw new ProgramError(
    "Your login has limits, and gets no keys of vaults. Run platform login again, and approve it without limits.",
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function refuse(): never {
  throw new ProgramError(
    "The keys were not handed over by you, or were changed on the way. Nothing was unlocked. Run platform unlock again. " +
      "If that happens again, ask the operator of the platform.",
  );
}
