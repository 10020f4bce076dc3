import type { Client } from "@connectrpc/connect";
import { ProgramError, platformErrorOf } from "@platform-rpc/signed-in";
import type { ItemUseService } from "@platform-rpc/types-internal/accounts";

/** What became of a use that was counted, and not answered. */
export type Outcome = "not_sent" | "unknown";

/** One use of an item, by an agent. */
export interface UseRequest {
  readonly vaultId: string;
  readonly itemId: string;
  /** The version that the broker has opened. */
  readonly baseVersion: number;
  /** The `jti` of the agent's token. */
  readonly tokenId: string;
  readonly host: string;
  /** A UUID. The same use again is counted once. */
  readonly useId: string;
}

/** Counts uses at the platform. */
export interface Uses {
  /** Counts a use, and records it, in one commit. Rejects if it must not be made. */
  use(request: UseRequest, signal: AbortSignal): Promise<void>;
  /** Records what became of a use. The count stays. */
  report(useId: string, outcome: Outcome): Promise<void>;
}

/** How long the platform may take, in milliseconds. */
const timeoutMs = 10_000;

/** Counts uses with the login of the broker's person. */
export function createUses(client: Client<typeof ItemUseService>): Uses {
  return {
    async use(request, signal) {
      const { item } = await client.useItem(request, { signal, timeoutMs });
      if (item?.itemId === request.itemId && item.version === request.baseVersion) return;
      throw new ProgramError("The platform has counted another use than that of the request. Ask its operator.");
    },
    async report(useId, outcome) {
      await client.reportItemUse({ useId, outcome }, { timeoutMs }).catch((thrown: unknown) => {
        // It was never counted, or is older than a day: a later report could not say more.
        if (platformErrorOf(thrown)?.reason !== "ITEM_NOT_FOUND") throw thrown;
      });
    },
  };
}
