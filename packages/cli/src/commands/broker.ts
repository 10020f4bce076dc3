import { once } from "node:events";
import { join } from "node:path";
import { createBrokerTokenVerifier } from "@platform-rpc/broker";
import { createCredentialBroker } from "@platform-rpc/credential-broker/credential-broker";
import { openJournal } from "@platform-rpc/credential-broker/journal";
import { fetchPlatform } from "@platform-rpc/credential-broker/platform-fetch";
import { createUpstreams } from "@platform-rpc/credential-broker/upstream";
import { createUses } from "@platform-rpc/credential-broker/uses";
import { bind } from "@platform-rpc/front/bound-socket";
import {
  findBrokerTokens,
  findPages,
  isSystemError,
  ProgramError,
  readTokenClaims,
  removeUnlocked,
} from "@platform-rpc/signed-in";
import { connect, folderOf, loadSession, personName } from "../session/connect.js";
import { printLine, printNotice, type Terminal } from "../terminal/terminal.js";
import { followUnlocked, readUnlocked } from "../unlocked/unlocked-vaults.js";
import { namedVaults } from "../vaults/find-vault.js";
import { unlock } from "./unlock.js";

export interface BrokerOptions {
  readonly port: number;
  readonly host: string;
  /** Where agents reach it, behind a proxy. Default: its own address. */
  readonly publicUrl?: string;
  readonly allowLoopbackHttp?: boolean;
  /** How long the keys stay if it has to unlock, in milliseconds. */
  readonly for: number;
}

/** How many connections may wait, and how many may be open before the first is answered. */
const [backlog, connections] = [511, 1_000];

/** Sends the requests of agents with the secrets of items, until Ctrl+C. */
export async function broker(terminal: Terminal, options: BrokerOptions): Promise<void> {
  const { signal } = terminal;
  const connection = await connect(terminal, ["vault.items:read", "vault.items:use"], fetchPlatform);
  const { issuer, member, itemUses, scopes } = connection;
  const session = await loadSession(terminal);
  const claims = session && readTokenClaims(session.accessToken);
  if (claims === undefined) throw new ProgramError("You are not signed in. Run: platform login", "not signed in");
  const tokens = await findBrokerTokens(issuer, signal);
  const page = `${await findPages(issuer, signal)}/console/agents`;
  if ((await readUnlocked(terminal)) === undefined) await unlock(terminal, { for: options.for });

  const { port: wanted, host } = options;
  const socket = await bind({ port: wanted, host, backlog, connections }).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw new ProgramError(
      `The broker cannot listen on ${host}, port ${wanted} (${error.code}). Choose another --port.`,
    );
  });
  const { port, address, family } = socket.address;
  const url = options.publicUrl ?? `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
  const uses = createUses(itemUses);
  // Two brokers may have the same port, at different addresses.
  const name = `uses-${address.replaceAll(":", "-")}-${port}.journal`;
  const journal = await openJournal(join(folderOf(terminal), name), uses.report);
  const upstreams = createUpstreams({ allowLoopbackHttp: options.allowLoopbackHttp });
  const unlocked = followUnlocked(terminal);
  const listener = createCredentialBroker({
    // The platform has sent the program's own token, which names it as that of an agent does.
    verifier: createBrokerTokenVerifier({
      ...tokens,
      issuer: claims.iss ?? issuer,
      onWarning: (text) => printNotice(terminal, text, {}),
    }),
    publicUrl: () => url,
    person: { tenantId: claims.tenant_id, accountId: claims.sub },
    ...{ member, unlocked, uses, journal, upstreams, page },
    onLoginEnded: () => removeUnlocked(folderOf(terminal)),
    onFailed: (thrown) => printNotice(terminal, `A request has failed (${nameOf(thrown)}).`, {}),
  });
  await listener.serve(socket);
  const open = await unlocked();
  const vaults = await namedVaults({ ...connection, unlocked: open, changes: false, signal, notify: () => {} });
  const names = vaults.flatMap(({ vaultId, name }) => (open?.has(vaultId) ? [name ?? vaultId] : []));
  const person = (await personName(connection, scopes, signal)) ?? claims.sub;
  printLine(terminal, `Broker for ${person} at ${url}. Agents may use items of: ${names.join(", ") || "no vault"}.`);
  if (!signal.aborted) await once(signal, "abort");
  await listener.close(2_000);
  upstreams.close();
  await journal.close();
}

/** The text of an unknown error may contain anything. */
function nameOf(thrown: unknown): string {
  return isSystemError(thrown) ? `${thrown.code}` : thrown instanceof Error ? thrown.name : "no error";
}
