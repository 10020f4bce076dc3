import { defineCollection } from "./collection.js";
import type { RecordKey } from "./record.js";
import { number, object, optional, text, word } from "./schema.js";

/** How long a use is remembered, for retries and for reports, in milliseconds. */
const life = 24 * 60 * 60 * 1000;

/** What is known of a request after its use was counted: it was provably not sent, or nobody knows. */
export const useOutcomes = ["not_sent", "unknown"] as const;

export type UseOutcome = (typeof useOutcomes)[number];

/** A use of a secret that was counted. */
export interface ItemUse {
  readonly tenantId: string;
  /** The person whose broker has used it. */
  readonly principalId: string;
  /** Chosen by the broker. */
  readonly useId: string;
  /** The agent for which it was used, and the `jti` of its broker token. */
  readonly oauthClientId: string;
  readonly tokenId: string;
  readonly delegationId: string;
  readonly vaultId: string;
  readonly itemId: string;
  readonly version: number;
  readonly host: string;
  /** The number of uses of the delegation with this one. */
  readonly uses: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Undefined: nothing was reported. */
  readonly outcome?: UseOutcome | undefined;
}

type UseKey = Pick<ItemUse, "tenantId" | "principalId" | "useId">;

/** No person learns from an id whether another one has used it. An id of a use has no slash. */
const keyOf = ({ tenantId, principalId, useId }: UseKey) => ({ tenantId, key: `${useId}/${principalId}` });

/** The uses of the last 24 hours. */
export const itemUses = defineCollection<ItemUse>("item-use", {
  schema: object({
    tenantId: text,
    principalId: text,
    useId: text,
    oauthClientId: text,
    tokenId: text,
    delegationId: text,
    vaultId: text,
    itemId: text,
    version: number,
    host: text,
    uses: number,
    at: number,
    outcome: optional(word(...useOutcomes)),
  }),
  keyOf,
  ownerOf: ({ principalId, oauthClientId }) => ({ principalId, oauthClientId }),
  expiresAt: ({ at }) => at + life,
});

/** Returns where a use is stored. */
export function keyOfUse(use: UseKey): RecordKey {
  return { collection: itemUses.name, ...keyOf(use) };
}
