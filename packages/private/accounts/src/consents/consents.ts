import { hash } from "node:crypto";
import { type Call, StorageError } from "@platform-rpc/server";
import { defineCollection, type FoundRecord } from "@platform-rpc/server/host";
import * as z from "zod";
import type { AccountsParts } from "../http/environment.js";
import { type ConsentRequest, consentLifeMs } from "./consent-request.js";

const storedConsent = z.object({
  tenantId: z.string(),
  requestHash: z.string(),
  principalId: z.string(),
  oauthClientId: z.string(),
  validUntil: z.number(),
  /** The number of deletions that have taken it and may still commit. While there is one, it cannot be withdrawn. */
  running: z.number(),
  expiresAt: z.number(),
});
type Consent = z.infer<typeof storedConsent>;

const consents = defineCollection<Consent>("consent", {
  schema: storedConsent.parse,
  keyOf: ({ tenantId, requestHash: key }) => ({ tenantId, key }),
  ownerOf: ({ principalId, oauthClientId }) => ({ principalId, oauthClientId }),
  expiresAt: ({ expiresAt }) => expiresAt,
});

/** How often a change is tried again, because another request has changed the consent in between. */
const maxTries = 10;

/**
 * What people have consented to. Each consent is for one act with one version of an item, by one software, and lasts 5 minutes.
 *
 * Every change throws a StorageError "contended" if other requests changed the consent again and again in between.
 */
export type Consents = ReturnType<typeof createConsents>;

type Found = FoundRecord<Consent> | undefined;

/** What a change writes, and what it resolves with once that is stored. Without `put`, it writes nothing. */
interface Change<Result> {
  readonly put?: Parameters<AccountsParts["own"]["putRecord"]>[0];
  readonly result: Result;
}

export function createConsents({ own, clock }: Pick<AccountsParts, "own" | "clock">) {
  async function change<Result>(
    request: ConsentRequest,
    call: Call,
    decide: (found: Found) => Change<Result>,
  ): Promise<Result> {
    const key = consents.key(request.tenantId, hashOf(request));
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { put, result } = decide(consents.open(await own.getRecord(key, call)));
      if (put === undefined || (await own.putRecord(put, call)).ok) return result;
    }
    throw new StorageError("contended");
  }

  return {
    /** Records that the person has consented. */
    give(request: ConsentRequest, call: Call): Promise<void> {
      const { tenantId, principalId, oauthClientId } = request;
      return change(request, call, (found) => {
        const now = clock.now();
        const validUntil = now + consentLifeMs;
        const owner = { tenantId, principalId, oauthClientId, requestHash: hashOf(request) };
        const consent = { ...owner, running: found?.value.running ?? 0, validUntil, expiresAt: validUntil };
        return {
          put: { ...(found?.replace(consent) ?? consents.create(consent, now)), events: [eventOf(request, "allowed")] },
          result: undefined,
        };
      });
    },

    /**
     * Takes the consent for what is about to start, and resolves with whether there is one. From then on it cannot be withdrawn. A
     * consent to a use is used up by that, whatever follows.
     */
    take: (request: ConsentRequest, call: Call) =>
      change<boolean>(request, call, (found) => {
        const now = clock.now();
        if (found === undefined || now >= found.value.validUntil) return { result: false };
        if (request.kind === "use") return { put: found.remove(), result: true };
        const { running } = found.value;
        // The record outlives the deletion, so that a withdrawal finds it until the deletion has ended.
        const taken = { ...found.value, running: running + 1, expiresAt: now + consentLifeMs };
        return { put: found.replace(taken), result: true };
      }),

    /** Returns the consent after the deletion was rejected, so that it can be taken again, or withdrawn. */
    giveBack: (request: ConsentRequest, call: Call) =>
      change<void>(request, call, (found) => {
        if (found === undefined) return { result: undefined };
        const running = Math.max(0, found.value.running - 1);
        return { put: found.replace({ ...found.value, running }), result: undefined };
      }),

    /** Ends the consent after the deletion that it has allowed. */
    end: (request: ConsentRequest, call: Call) =>
      change<void>(request, call, (found) => ({ ...(found && { put: found.remove() }), result: undefined })),

    /** Ends the consent, unless a deletion has taken it. Resolves with "too late" in that case. */
    withdraw: (request: ConsentRequest, call: Call) =>
      change<"withdrawn" | "too late">(request, call, (found) => {
        if (found === undefined) return { result: "withdrawn" };
        if (found.value.running > 0) return { result: "too late" };
        return { put: { ...found.remove(), events: [eventOf(request, "withdrawn")] }, result: "withdrawn" };
      }),
  };
}

/** What the audit trail says of a consent. */
function eventOf(request: ConsentRequest, what: "allowed" | "withdrawn") {
  const { kind, oauthClientId, vaultId, itemId } = request;
  const where = kind === "use" ? ` at ${request.host}` : "";
  return { subject: `item:${vaultId}/${itemId}`, event: `${kind} by ${oauthClientId}${where} ${what}` };
}

function hashOf(request: ConsentRequest): string {
  const { kind, tenantId, principalId, oauthClientId, vaultId, itemId, version } = request;
  const where = kind === "use" ? [request.host, request.delegationId] : [];
  const members = [kind, tenantId, principalId, oauthClientId, vaultId, itemId, version, ...where];
  return hash("sha256", JSON.stringify(members), "base64url");
}
