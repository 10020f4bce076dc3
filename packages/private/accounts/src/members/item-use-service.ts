import type { ServiceImpl } from "@connectrpc/connect";
import type { Operations } from "@platform-rpc/server";
import {
  delegationExhausted,
  handle,
  itemMessage,
  type RequestValidator,
  type UseItemResult,
  versionConflict,
} from "@platform-rpc/server/host";
import type { ItemUseService, ReportItemUseRequest, UseItemRequest } from "@platform-rpc/types-internal/accounts";
import type { ConsentRequest, ConsentRequests } from "../consents/consent-request.js";
import type { Consents } from "../consents/consents.js";
import { rpcErrorOf } from "../contract/private-contract.js";
import { isOwnProgram } from "../oauth-clients/first-party-clients.js";

interface ItemUseServiceDeps {
  readonly operations: Pick<Operations, "useItem" | "reportItemUse">;
  readonly validate: RequestValidator;
  /** The origin of the pages. */
  readonly origin: string;
  readonly consents: Pick<Consents, "take">;
  readonly requests: Pick<ConsentRequests, "link">;
}

const useItemError = rpcErrorOf("platform.accounts.v1.ItemUseService/UseItem");

/** An agent uses nothing itself: only the program of its person does. */
const refused = { ok: false, reason: "VAULT_NOT_FOUND" } as const;

type NotConfirmed = Extract<UseItemResult, { readonly reason: "USE_NOT_CONFIRMED" }>;

function asksPerson(result: UseItemResult): result is NotConfirmed {
  return !result.ok && result.reason === "USE_NOT_CONFIRMED";
}

/** Implements ItemUseService: the broker of a person uses secrets for agents, and each use is counted before. */
export function createItemUseService({
  operations,
  validate,
  origin,
  consents,
  requests,
}: ItemUseServiceDeps): ServiceImpl<typeof ItemUseService> {
  return {
    useItem: handle({
      validate,
      error: useItemError,
      async run({ vaultId, itemId, baseVersion: version, tokenId, host, useId }: UseItemRequest, call) {
        if (!isOwnProgram(call)) return refused;
        const use = { vaultId, itemId, version, tokenId, host, useId };
        const counted = await operations.useItem({ ...use, confirmed: false }, call);
        if (!asksPerson(counted)) return counted;
        const { tenantId, principalId } = call.actor;
        const { oauthClientId, delegationId } = counted;
        const place = { vaultId, itemId, version, host };
        const asked: ConsentRequest = { kind: "use", tenantId, principalId, oauthClientId, delegationId, ...place };
        const allowed = await consents.take(asked, call);
        const confirmed = allowed ? await operations.useItem({ ...use, confirmed: true }, call) : counted;
        return asksPerson(confirmed) ? { ...confirmed, page: requests.link(asked) } : confirmed;
      },
      answer: ({ item, uses, maxUses }) => ({
        item: itemMessage(item),
        uses,
        ...(maxUses !== undefined && { maxUses }),
      }),
      errors: {
        VERSION_CONFLICT: versionConflict,
        DELEGATION_EXHAUSTED: (rejection) => delegationExhausted(rejection, `${origin}/console/agents`, "uses"),
        USE_NOT_CONFIRMED: ({ page }) => ({
          metadata: { page },
          // Programs show the message to the person.
          message: `The person wants to be asked about each use. Nothing was counted. Ask them to open ${page} within 5 minutes, then call again.`,
        }),
        USE_ID_TAKEN: () =>
          useItemError("INVALID_FIELD", { violations: [{ field: "useId", description: "is the id of another use" }] }),
      },
    }),

    reportItemUse: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.ItemUseService/ReportItemUse"),
      async run({ useId, outcome }: ReportItemUseRequest, call) {
        if (!isOwnProgram(call)) return refused;
        return operations.reportItemUse({ useId, outcome: outcome === "not_sent" ? outcome : "unknown" }, call);
      },
      answer: () => ({}),
    }),
  };
}
