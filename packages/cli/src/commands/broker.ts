import { join } from "node:path";
import { createBrokerTokenVerifier } from "@platform-rpc/broker";
import { createUndiciFetch } from "@platform-rpc/client/undici";
import { createCredentialBroker } from "@platform-rpc/credential-broker/credential-broker";
import { openJournal } from "@platform-rpc/credential-broker/journal";
import { createUpstreams } from "@platform-rpc/credential-broker/upstream";
import { createUses } from "@platform-rpc/credential-broker/uses";
import type { HandlerListener } from "@platform-rpc/front";
import { type BoundSocket, bind } from "@platform-rpc/front/bound-socket";
import { findBrokerTokens, findPages, isSystemError, ProgramError, removeUnlocked } from "@platform-rpc/signed-in";
import { connect, folderOf, loadClaims, personName } from "../session/connect.js";
import { explain } from "../terminal/explain.js";
import { printLine, printNotice, type Terminal } from "../terminal/terminal.js";
import { followUnlocked, readUnlocked } from "../unlocked/unlocked-vaults.js";
import { type Access, namedVaults } from "../vaults/find-vault.js";
import type { createBrokerHealth } from "./broker-health.js";
import { unlock } from "./unlock.js";

export interface BrokerOptions {
  readonly port: number;
  readonly host: string;
  /** Where agents reach it, behind a proxy. Default: its own address, if `host` is one and not all of them. */
  readonly publicUrl?: string;
  readonly allowLoopbackHttp?: boolean;
  /** How long the keys stay if it has to unlock, in milliseconds. */
  readonly for: number;
  /** Whether to wait until somebody signs in and unlocks elsewhere. Default: it asks the person. */
  readonly wait?: boolean;
  /** Where health and metrics are. Default: nowhere. */
  readonly metricsPort?: number;
}

/** How many connections may wait, and how many may be open before the first is answered. */
const [backlog, connections] = [511, 1_000];

const needed = ["vault.items:read", "vault.items:use"] as const;

/** How often it looks whether somebody has signed in, locked or unlocked, in milliseconds. */
const everyMs = 1_000;

/** Sends the requests of agents with the secrets of items, until Ctrl+C. */
export async function broker(terminal: Terminal, options: BrokerOptions): Promise<void> {
  const opened: (() => Promise<void> | void)[] = [];
  try {
    await serve(terminal, options, (close) => opened.push(close));
  } finally {
    for (const close of opened.reverse()) await close();
  }
}

/** Serves agents until Ctrl+C. @param atEnd is called with what closes each part, which is also needed if a later one fails */
async function serve(terminal: Terminal, options: BrokerOptions, atEnd: (close: () => Promise<void> | void) => void) {
  const { signal } = terminal;
  // All zeros, in any notation: every address of this machine.
  if (options.publicUrl === undefined && /^[0:.]*$/.test(options.host)) {
    throw new ProgramError(
      `With --host ${options.host}, the broker listens on every address, so it does not know the URL for which agents make DPoP proofs. Set --public-url or BROKER_PUBLIC_URL to it.`,
      "usage",
    );
  }
  const unlocked = followUnlocked(terminal);
  let told = "";
  /** Returns what is open. A file that cannot be read opens nothing, and does not end the broker: each request says why. */
  const openNow = async () => {
    const known = await unlocked().catch((thrown: unknown) => {
      const { message } = explain(thrown);
      if (message !== told) printNotice(terminal, message, {});
      told = message;
      return undefined;
    });
    return known !== undefined && known.expiresAt.getTime() > Date.now() ? known : undefined;
  };
  let listener: HandlerListener | undefined;
  const health = await startHealth(options, async () => {
    const isSignedIn = listener !== undefined;
    const unlockedUntil = isSignedIn ? (await openNow())?.expiresAt.getTime() : undefined;
    return { isSignedIn, unlockedUntil, connections: listener?.connections ?? 0 };
  });
  if (health !== undefined) atEnd(health.close);
  const person = await (options.wait ? waitForPerson(terminal) : connectPerson(terminal));
  if (person === undefined) return;
  const { connection, claims, tokens, page } = person;
  const { issuer, member, itemUses, scopes } = connection;
  const socket = await bindAt(options.host, options.port);
  atEnd(socket.close);
  const { port, address } = socket.address;
  const url = options.publicUrl ?? urlOf(socket);
  const uses = createUses(itemUses);
  // Two brokers may have the same port, at different addresses.
  const name = `uses-${address.replaceAll(":", "-")}-${port}.journal`;
  const journal = await openJournal(join(folderOf(terminal), name), uses.report);
  atEnd(journal.close);
  const upstreams = createUpstreams({ allowLoopbackHttp: options.allowLoopbackHttp });
  atEnd(upstreams.close);
  listener = createCredentialBroker({
    // The platform has sent the program's own token, which names it as that of an agent does.
    verifier: createBrokerTokenVerifier({
      ...tokens,
      issuer: claims.iss ?? issuer,
      onWarning: (text) => printNotice(terminal, text, {}),
    }),
    publicUrl: () => url,
    person: { tenantId: claims.tenant_id, accountId: claims.sub },
    ...{ member, unlocked, uses, journal, upstreams, page, ...health?.callbacks },
    onLoginEnded: () => removeUnlocked(folderOf(terminal)),
    onFailed: (thrown) => printNotice(terminal, `A request has failed (${nameOf(thrown)}).`, {}),
  });
  const { close } = listener;
  atEnd(() => close(2_000));
  await listener.serve(socket);
  // The person is asked when everything else has worked, such as the port.
  const isLocked = (await readUnlocked(terminal)) === undefined;
  if (isLocked && !options.wait) await unlock(terminal, { for: options.for });
  const displayName = (await personName(connection, scopes, signal)) ?? claims.sub;
  let open = await openNow();
  const describe = () => whatIsOpen({ ...connection, unlocked: open, changes: false, signal, notify: () => {} });
  const explainInstead = (thrown: unknown) => {
    // The broker runs all the same: each request says what its person has to do.
    printNotice(terminal, explain(thrown).message, {});
    return "Agents may use no items for now.";
  };
  const first = await (options.wait ? describe().catch(explainInstead) : describe());
  printLine(terminal, `Broker for ${displayName} at ${url}. ${first}`);
  while (!signal.aborted) {
    await terminal.sleep(everyMs);
    const before = open;
    open = await openNow();
    if (open !== before && !signal.aborted) printLine(terminal, await describe().catch(explainInstead));
  }
}

/** Returns a sentence about the vaults of which agents may use items. */
async function whatIsOpen(access: Access): Promise<string> {
  const { unlocked } = access;
  const vaults = await namedVaults(access);
  if (unlocked === undefined) return "The vaults are locked. Agents may use items after: platform unlock.";
  const names = vaults.flatMap(({ vaultId, name }) => (unlocked.has(vaultId) ? [name ?? vaultId] : []));
  return `Agents may use items of: ${names.join(", ") || "no vault"}.`;
}

/** Connects as the person, and finds what verifies the tokens of their agents. @throws ProgramError if nobody has signed in */
async function connectPerson(terminal: Terminal) {
  const { signal } = terminal;
  const connection = await connect(terminal, needed, createUndiciFetch());
  const { issuer } = connection;
  const claims = await loadClaims(terminal);
  const tokens = await findBrokerTokens(issuer, signal);
  const page = `${await findPages(issuer, signal)}/console/agents`;
  return { connection, claims, tokens, page };
}

/** Connects when somebody has signed in, and the platform answers. Resolves with undefined if the program ends before that. */
async function waitForPerson(terminal: Terminal) {
  let said = "";
  while (!terminal.signal.aborted) {
    try {
      return await connectPerson(terminal);
    } catch (thrown) {
      if (!(thrown instanceof ProgramError)) throw thrown;
      if (said !== thrown.message && !terminal.signal.aborted) printNotice(terminal, thrown.message, {});
      said = thrown.message;
    }
    await terminal.sleep(everyMs);
  }
  return undefined;
}

async function startHealth({ host, metricsPort }: BrokerOptions, state: Parameters<typeof createBrokerHealth>[0]) {
  if (metricsPort === undefined) return undefined;
  // A broker of one person needs no metrics.
  const { createBrokerHealth } = await import("./broker-health.js");
  const { listener, onRequestEnd } = createBrokerHealth(state);
  await listener.serve(await bindAt(host, metricsPort));
  return { callbacks: { onRequestEnd }, close: () => listener.close(0) };
}

async function bindAt(host: string, port: number): Promise<BoundSocket> {
  return bind({ port, host, backlog, connections }).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    const { code = "" } = error;
    const advice = ["EADDRINUSE", "EACCES"].includes(code)
      ? "Choose another port."
      : "It is not an address of this machine. Choose one that is, such as 127.0.0.1.";
    throw new ProgramError(`The broker cannot listen on ${host}, port ${port} (${code}). ${advice}`);
  });
}

function urlOf({ address: { address, family, port } }: BoundSocket): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** The text of an unknown error may contain anything. */
function nameOf(thrown: unknown): string {
  return isSystemError(thrown) ? `${thrown.code}` : thrown instanceof Error ? thrown.name : "no error";
}
