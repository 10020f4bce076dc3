import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { BrokerTokenVerifier } from "@platform-rpc/broker";
import { printable } from "@platform-rpc/client";
import { createHandlerListener, type HandlerListener } from "@platform-rpc/front";
import { type Clients, platformErrorOf, type UnlockedVaults } from "@platform-rpc/signed-in";
import { createAdmission } from "./admission.js";
import { answer } from "./answer.js";
import { type Approval, createApprovals } from "./approval.js";
import { createCountedUses } from "./counted-uses.js";
import { headerBytes, requestHeaders, single } from "./headers.js";
import { createItemIndex, type ItemIndex, type UsableItem } from "./item-index.js";
import type { Journal } from "./journal.js";
import { createMaskings } from "./mask-answer.js";
import { type AgentRequest, placeSecret } from "./place-secret.js";
import { type Refusal, reasonHeader, refusal, refusalOf, sendRefusal } from "./refusal.js";
import { readTarget, type Target } from "./target.js";
import type { Upstreams } from "./upstream.js";
import type { Uses } from "./uses.js";

/** Whose items agents use. */
export interface Person {
  readonly tenantId: string;
  readonly accountId: string;
}

export interface BrokerRequestEnd {
  /** `OK` if the upstream has answered, whatever its status is. Otherwise why the broker has not given an answer back. */
  readonly reason: string;
  /** From the head of the request to the end of its answer. */
  readonly seconds: number;
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
  /** Called at the end of each request. */
  readonly onRequestEnd?: (end: BrokerRequestEnd) => void;
  /** How large all bodies that it holds can be, in bytes. Default: 256 MiB. */
  readonly mostHeld?: number | undefined;
  /** Called with a thrown value that is a bug, or a failure of this computer. */
  readonly onFailed?: (thrown: unknown) => void;
}

/** How often what is locked is forgotten, in milliseconds, if no request comes. */
const checkMs = 1_000;

/** How often reports that have failed are tried again, in milliseconds. */
const reportMs = 30_000;

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
  /** Counts bytes in the bound of what all calls hold. */
  readonly hold: (bytes: number) => void;
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
  const admit = createAdmission(options.mostHeld);
  const countedUses = createCountedUses({ uses, journal });
  const maskingOf = createMaskings<UsableItem>();
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
    const { tenantId, principalId } = approval.claims;
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
    const { approvalId } = approval;
    const admitted = admit(approvalId);
    try {
      const gone = new AbortController();
      response.once("close", () => response.writableFinished || gone.abort());
      const repeated = single(headers, "idempotency-key");
      const key = repeated === undefined ? "" : hashOf([approvalId, repeated]);
      const wanted = single(headers, "platform-item");
      const sent = { headers: requestHeaders(request.headersDistinct), path: target.path };
      const body = await admitted.bodyOf(request);
      const { hold } = admitted;
      const call = { target, method, approval, key, wanted, signal: gone.signal, hold, ...sent, body };
      const { head, masking } = await use(call).catch((thrown: unknown) => {
        // The item has changed since it was opened. What it says now decides.
        if (platformErrorOf(thrown)?.reason !== "VERSION_CONFLICT") throw thrown;
        return use(call);
      });
      await answer(head, response, { masking, target, publicUrl: publicUrl() }).catch((thrown: unknown) => {
        head.destroy();
        throw thrown;
      });
    } finally {
      admitted.leave();
    }
  }

  /** Sends a request with a secret, after its use was counted. Resolves with the head of the answer. */
  async function use(call: Call) {
    const { target, method, approval, wanted, signal } = call;
    const { unlocked, index } = await openIndex();
    const allowed = unlocked.vaultIds.filter(approval.allowsVault);
    const found = await index.find(target.host, allowed);
    const item = chooseItem(found, target, wanted);
    const { secrets, ...placed } = placeSecret(item, call);
    if (placed.body !== call.body) call.hold(placed.body.length);
    const upstream = await upstreams.open(target, { method, ...placed });
    signal.addEventListener("abort", upstream.close, { once: true });
    try {
      signal.throwIfAborted();
      // It may have been locked while the upstream was connected, or the use was counted.
      const checkOpen = async () => {
        if ((await openIndex()).unlocked !== unlocked) throw lockedMeanwhile();
      };
      await checkOpen();
      const { vaultId, itemId, version: baseVersion } = item;
      const { tokenId } = approval.claims;
      const useId = await countedUses.count({ vaultId, itemId, baseVersion, tokenId, host: target.host }, call);
      const head = await countedUses.send(useId, upstream, { signal, checkOpen });
      // The host may give back what it got with another request.
      return { head, masking: maskingOf(item, [...secrets, ...found.flatMap(secretsIn)]) };
    } catch (thrown) {
      upstream.close();
      if (platformErrorOf(thrown)?.reason === "VERSION_CONFLICT") await index.refresh(item.vaultId);
      throw thrown;
    }
  }

  /** Answers for what was thrown. Resolves with the reason. */
  async function answerFailure(thrown: unknown, response: ServerResponse): Promise<string> {
    if (platformErrorOf(thrown)?.reason === "UNAUTHENTICATED") await options.onLoginEnded();
    // Nobody waits for it any more.
    if (response.destroyed) return "CANCELED";
    const refused = refusalOf(thrown);
    if (refused.init.reason === "INTERNAL") options.onFailed?.(thrown);
    sendRefusal(response, refused);
    return refused.init.reason;
  }

  const listener = createHandlerListener({
    limits: { receiveTimeoutMs: 60_000, headerBytes },
    rejectedHeaders: ({ reason }) => [[reasonHeader, reason]],
    async handle(request, response) {
      const begunAt = performance.now();
      const answered = serve(request, response).then(() => "OK");
      const reason = await answered.catch((thrown: unknown) => answerFailure(thrown, response));
      options.onRequestEnd?.({ reason, seconds: (performance.now() - begunAt) / 1000 });
    },
  });
  const checks = setInterval(() => void openIndex().catch(() => undefined), checkMs).unref();
  const reports = setInterval(() => void countedUses.reportAgain(), reportMs).unref();
  return {
    serve: listener.serve,
    get connections() {
      return listener.connections;
    },
    leave: listener.leave,
    async close(graceMs) {
      clearInterval(checks);
      clearInterval(reports);
      opened = undefined;
      await listener.close(graceMs);
    },
  };
}

function chooseItem(found: readonly UsableItem[], { host }: Target, wanted: string | undefined): UsableItem {
  const named = wanted === undefined ? found : found.filter(({ itemId, title }) => isNamed([itemId, title], wanted));
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

/** Programs write a title in UTF-8, and some in latin1, as which node:http reads both. */
function isNamed(names: readonly string[], wanted: string): boolean {
  return names.includes(wanted) || names.includes(Buffer.from(wanted, "latin1").toString());
}

/** Returns what is secret in an item. */
function secretsIn({ content }: UsableItem): readonly string[] {
  return content.fields.flatMap(({ type, value }) => (type === "secret" ? [value] : []));
}

function lockedMeanwhile(): Refusal {
  return refusal("LOCKED", "The vaults were locked meanwhile. Nothing was sent. Try again.");
}

function hashOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
