import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { BrokerTokenVerifier } from "@platform-rpc/broker";
import { printable } from "@platform-rpc/client";
import { createHandlerListener, type HandlerListener } from "@platform-rpc/front";
import { type Clients, platformErrorOf, type UnlockedVaults } from "@platform-rpc/signed-in";
import { answer } from "./answer.js";
import { type Approval, createApprovals } from "./approval.js";
import { requestHeaders, single } from "./headers.js";
import { createItemIndex, type ItemIndex, type UsableItem } from "./item-index.js";
import type { Journal } from "./journal.js";
import { type AgentRequest, placeSecret } from "./place-secret.js";
import { errorBody, type Refusal, refusal, refusalOf } from "./refusal.js";
import { readTarget, type Target } from "./target.js";
import type { OpenUpstream, Upstreams } from "./upstream.js";
import type { Outcome, Uses } from "./uses.js";

/** Whose items agents use. */
export interface Person {
  readonly tenantId: string;
  readonly accountId: string;
}

export interface CredentialBrokerOptions {
  readonly member: Pick<Clients["member"], "listChanges">;
  /** Verifies broker tokens. */
  readonly verifier: BrokerTokenVerifier;
  /** The URL under which agents reach it, for which DPoP proofs are made. */
  readonly publicUrl: () => string;
  readonly person: Person;
  /** Returns the vaults that are unlocked now. Called for each request: the same object, until they are locked. */
  readonly unlocked: () => Promise<OpenVaults | undefined>;
  readonly uses: Uses;
  readonly journal: Journal;
  readonly upstreams: Upstreams;
  /** The page on which the person sees and changes what agents may do. */
  readonly page: string;
  /** Called when the platform does not accept the login of the person any more: the keys must go. */
  readonly onLoginEnded: () => Promise<unknown>;
  /** Called with a thrown value that is a bug, or a failure of this computer. */
  readonly onFailed?: (thrown: unknown) => void;
}

/** The largest body of a request, and of all that are held, in bytes. */
const [largestBody, mostHeld] = [16 * 1024 * 1024, 256 * 1024 * 1024];

/** How many calls run at a time, of one approval and in all. */
const [mostOfApproval, mostCalls] = [64, 256];

/** How often what is locked is forgotten, in milliseconds, if no request comes. */
const checkMs = 1_000;

type OpenVaults = Pick<UnlockedVaults, "open" | "vaultIds" | "expiresAt">;

/** Where one request goes, with what it may use. */
interface Call extends AgentRequest {
  readonly target: Target;
  readonly method: string;
  readonly approval: Approval;
  /** Aborted when the agent does not wait any more. */
  readonly signal: AbortSignal;
  /** The hash of its Idempotency-Key. Empty: it has none. */
  readonly key: string;
  /** The id or the title of the item. */
  readonly wanted: string | undefined;
}

/**
 * Creates the broker: a listener that sends the requests of agents to the hosts of items, with the secrets of these.
 *
 * The order of each request: its token is verified, the item is found, the upstream has proven its name, the use is counted at the platform,
 * it is on disk that the request may have been sent, it is sent. What is refused before it is counted costs nothing.
 */
export function createCredentialBroker(options: CredentialBrokerOptions): HandlerListener {
  const { verifier, publicUrl, person, uses, journal, upstreams, page } = options;
  const approve = createApprovals(verifier);
  const admit = createAdmission();
  /** The bytes of all bodies that are held. */
  let held = 0;
  let opened: { readonly unlocked: OpenVaults; readonly index: ItemIndex } | undefined;

  /** Returns the items of what is unlocked now. Those of before are gone with their index. */
  async function openIndex() {
    const unlocked = await options.unlocked();
    if (unlocked === undefined || unlocked.expiresAt.getTime() <= Date.now()) {
      opened = undefined;
      throw refusal("LOCKED", "The vaults of the broker's person are locked. The person runs: platform unlock");
    }
    if (opened?.unlocked !== unlocked) opened = { unlocked, index: createItemIndex(options, unlocked) };
    return opened;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url, headers } = request;
    const target = readTarget(url);
    if (method === "TRACE") throw refusal("MALFORMED_REQUEST", "TRACE is not sent: its answer is the request.");
    const { authorization } = headers;
    const { dpop } = request.headersDistinct;
    const approval = await approve({ method, url: publicUrl() + url, authorization, dpop });
    const { tenantId, principalId, grantId } = approval.claims;
    if (tenantId !== person.tenantId || principalId !== person.accountId) {
      throw refusal(
        "USE_NOT_APPROVED",
        "The token is of another person than this broker. Use the broker of that person.",
      );
    }
    if (!approval.allowsHost(target.host)) {
      throw refusal(
        "USE_NOT_APPROVED",
        `The person has not approved ${target.host}. Ask for an approval with it.`,
        page,
      );
    }
    const leave = admit(grantId);
    let own = 0;
    const hold = (bytes: number) => {
      own += bytes;
      held += bytes;
      if (held > mostHeld) throw refusal("TOO_MANY_CALLS", "Too many large requests are running. Try again later.");
    };
    try {
      const gone = new AbortController();
      response.once("close", () => response.writableFinished || gone.abort());
      const repeated = single(headers, "idempotency-key");
      const key = repeated === undefined ? "" : hashOf([grantId, repeated]);
      const wanted = single(headers, "platform-item");
      const sent = { headers: requestHeaders(request.headersDistinct), path: target.path };
      const body = await bodyOf(request, hold);
      const call = { target, method, approval, key, wanted, signal: gone.signal, ...sent, body };
      const { head, secrets } = await use(call).catch((thrown: unknown) => {
        // The item has changed since it was opened. What it says now decides.
        if (platformErrorOf(thrown)?.reason !== "VERSION_CONFLICT") throw thrown;
        return use(call);
      });
      await answer(head, response, secrets).catch((thrown: unknown) => {
        head.destroy();
        throw thrown;
      });
    } finally {
      held -= own;
      leave();
    }
  }

  /** Sends a request with a secret, after its use was counted. Resolves with the head of the answer. */
  async function use(call: Call) {
    const { target, method, approval, wanted, signal } = call;
    const { unlocked, index } = await openIndex();
    const allowed = unlocked.vaultIds.filter(approval.allowsVault);
    const item = chooseItem(await index.find(target.host, allowed), target, wanted);
    const { secrets, ...placed } = placeSecret(item, call);
    const upstream = await upstreams.open(target, { method, ...placed });
    signal.addEventListener("abort", upstream.close, { once: true });
    try {
      signal.throwIfAborted();
      // It may have been locked while the upstream was connected, or the use was counted.
      const checkOpen = async () => {
        if ((await openIndex()).unlocked !== unlocked) throw lockedMeanwhile();
      };
      await checkOpen();
      const useId = await count(item, call);
      const head = await send(useId, upstream, { signal, checkOpen });
      return { head, secrets };
    } catch (thrown) {
      upstream.close();
      if (platformErrorOf(thrown)?.reason === "VERSION_CONFLICT") await index.refresh(item.vaultId);
      throw thrown;
    }
  }

  /** Counts a use. Resolves with its id. */
  async function count({ vaultId, itemId, version }: UsableItem, { target, approval, key, signal }: Call) {
    const useId = randomUUID();
    // Nothing is awaited between these two: of two requests with a key, one is the first.
    const known = key === "" ? undefined : journal.find(key);
    if (known !== undefined && known !== "not_sent") throw refusal("ALREADY_USED", repeatedInWords[known]);
    await journal.begin(useId, key);
    const { tokenId } = approval.claims;
    try {
      await uses.use({ vaultId, itemId, baseVersion: version, tokenId, host: target.host, useId }, signal);
    } catch (thrown) {
      // The platform has decided: nothing was counted. Otherwise that is not known.
      if (isDecision(thrown)) journal.forget(useId);
      else await report(useId, "not_sent");
      throw thrown;
    }
    return useId;
  }

  async function send(
    useId: string,
    upstream: OpenUpstream,
    { signal, checkOpen }: Pick<Call, "signal"> & { readonly checkOpen: () => Promise<void> },
  ): Promise<IncomingMessage> {
    try {
      await checkOpen();
      upstream.check();
      await journal.sending(useId);
      // The upstream, or the agent, may be gone by now. Then nothing is sent.
      upstream.check();
      signal.throwIfAborted();
    } catch (thrown) {
      await report(useId, "not_sent");
      throw thrown;
    }
    try {
      const head = await upstream.send();
      journal.end(useId, "answered");
      return head;
    } catch (thrown) {
      await report(useId, "unknown");
      throw thrown;
    }
  }

  /** Records what became of a use. The next start of the broker does it again, if the platform does not answer. */
  async function report(useId: string, outcome: Outcome): Promise<void> {
    await uses.report(useId, outcome).then(
      () => journal.end(useId, outcome),
      () => undefined,
    );
  }

  const listener = createHandlerListener({
    limits: { receiveTimeoutMs: 60_000, headerBytes: 64 * 1024 },
    handle: (request, response) =>
      serve(request, response).catch(async (thrown: unknown) => {
        if (platformErrorOf(thrown)?.reason === "UNAUTHENTICATED") await options.onLoginEnded();
        // Nobody waits for it any more.
        if (response.destroyed) return;
        const refused = refusalOf(thrown);
        if (refused.init.reason === "INTERNAL") options.onFailed?.(thrown);
        refuse(response, refused);
      }),
  });
  const checks = setInterval(() => void openIndex().catch(() => undefined), checkMs).unref();
  return {
    serve: listener.serve,
    get connections() {
      return listener.connections;
    },
    leave: listener.leave,
    async close(graceMs) {
      clearInterval(checks);
      opened = undefined;
      await listener.close(graceMs);
    },
  };
}

/** Bounds the calls at a time: the broken upstream of one agent leaves room for the others. */
function createAdmission(): (grantId: string) => () => void {
  const calls = new Map<string, number>();
  let running = 0;
  return (grantId) => {
    const own = calls.get(grantId) ?? 0;
    if (own >= mostOfApproval || running >= mostCalls) {
      throw refusal("TOO_MANY_CALLS", "Too many requests of this agent are running. Wait for their answers.");
    }
    calls.set(grantId, own + 1);
    running += 1;
    return () => {
      running -= 1;
      const left = (calls.get(grantId) ?? 1) - 1;
      if (left > 0) calls.set(grantId, left);
      else calls.delete(grantId);
    };
  };
}

function chooseItem(found: readonly UsableItem[], { host }: Target, wanted: string | undefined): UsableItem {
  const named =
    wanted === undefined ? found : found.filter(({ itemId, title }) => itemId === wanted || title === wanted);
  const [only, ...others] = named;
  if (only === undefined) {
    const name = wanted === undefined ? "" : ` with the id or title of the header Platform-Item`;
    throw refusal(
      "ITEM_NOT_FOUND",
      `No item${name} that the person has approved is for ${host}. The person gives an item this website and says how it is used.`,
    );
  }
  if (others.length === 0) return only;
  const titles = named.map(({ title, itemId }) => `${printable(title)} (${itemId})`).join(", ");
  throw refusal("ITEM_AMBIGUOUS", `Several items are for ${host}. Name one in the header Platform-Item: ${titles}`);
}

const repeatedInWords: Readonly<Record<NonNullable<ReturnType<Journal["find"]>>, string>> = {
  counting: "A request with this Idempotency-Key is not counted yet. It was not sent. Try again in a minute.",
  sending: "A request with this Idempotency-Key was counted, and may have been sent. It has no answer yet.",
  answered: "A request with this Idempotency-Key was counted, sent and answered.",
  unknown: "A request with this Idempotency-Key was counted, and may have been sent. Its answer is not known.",
  not_sent: "A request with this Idempotency-Key was counted, and not sent.",
};

function lockedMeanwhile(): Refusal {
  return refusal("LOCKED", "The vaults were locked meanwhile. Nothing was sent. Try again.");
}

/** Returns whether the platform has rejected a call. An error that may go away leaves open what was done. */
function isDecision(thrown: unknown): boolean {
  const error = platformErrorOf(thrown);
  return error?.status !== undefined && error.status < 500 && error.reason !== undefined;
}

async function bodyOf(request: IncomingMessage, hold: (bytes: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    hold(chunk.length);
    if (size > largestBody) throw refusal("BODY_TOO_LARGE", `The body has more than ${largestBody} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuse(response: ServerResponse, { init }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const requestId = randomUUID();
  response.writeHead(init.status, {
    ...init.headers,
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "X-Request-Id": requestId,
    // No upstream can send it: the answer is the broker's.
    "Platform-Reason": init.reason,
  });
  response.end(errorBody(init, requestId));
}

function hashOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
