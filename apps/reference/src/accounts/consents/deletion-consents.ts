import { hash } from "node:crypto";
import { type Call, defineCollection } from "@platform-rpc/server";
import * as z from "zod";
import type { AccountsParts } from "../http/environment.js";
import { consentLifeMs, type DeletionRequest } from "./deletion-request.js";

const storedConsent = z.object({
  tenantId: z.string(),
  /** The hash of the request. */
  requestHash: z.string(),
  principalId: z.string(),
  oauthClientId: z.string(),
  expiresAt: z.number(),
});

const consents = defineCollection<z.infer<typeof storedConsent>>("deletion-consent", {
  schema: storedConsent.parse,
  keyOf: ({ tenantId, requestHash: key }) => ({ tenantId, key }),
  ownerOf: ({ principalId, oauthClientId }) => ({ principalId, oauthClientId }),
  expiresAt: ({ expiresAt }) => expiresAt,
});

/** What people have consented to. Each consent is for one version of an item and for one software, and lasts 5 minutes. */
export interface DeletionConsents {
  /** Records that the person has consented. */
  give(request: DeletionRequest, call: Call): Promise<void>;
  /** Resolves with whether the person has consented. */
  has(request: DeletionRequest, call: Call): Promise<boolean>;
  /** Ends the consent, if there is one: it was used, or the person has withdrawn it. */
  end(request: DeletionRequest, call: Call): Promise<void>;
}

export function createDeletionConsents({ own, clock }: Pick<AccountsParts, "own" | "clock">): DeletionConsents {
  const find = async (request: DeletionRequest, call: Call) =>
    consents.open(await own.getRecord(consents.key(request.tenantId, hashOf(request)), call));
  return {
    async give(request, call) {
      const { tenantId, principalId, oauthClientId, vaultId, itemId } = request;
      const now = clock.now();
      const owner = { tenantId, principalId, oauthClientId };
      const consent = { ...owner, requestHash: hashOf(request), expiresAt: now + consentLifeMs };
      const stored = await find(request, call);
      const event = { subject: `item:${vaultId}/${itemId}`, event: `deletion by ${oauthClientId} allowed` };
      // If another page has recorded it at the same time, it is recorded.
      await own.putRecord({ ...(stored?.replace(consent) ?? consents.create(consent, now)), events: [event] }, call);
    },
    has: async (request, call) => (await find(request, call)) !== undefined,
    async end(request, call) {
      for (;;) {
        const stored = await find(request, call);
        if (stored === undefined || (await own.putRecord(stored.remove(), call)).ok) return;
      }
    },
  };
}

function hashOf({ tenantId, principalId, oauthClientId, vaultId, itemId, version }: DeletionRequest): string {
  const members = [tenantId, principalId, oauthClientId, vaultId, itemId, version];
  return hash("sha256", JSON.stringify(members), "base64url");
}
