import type { ItemContent } from "@platform-rpc/items/item-content";
import type { MemberVault } from "@platform-rpc/signed-in";
import type { Item } from "@platform-rpc/types";
import type { Terminal } from "../terminal/terminal.js";

export interface UnlockedVaults {
  readonly expiresAt: Date;
  nameOf(vault: MemberVault): Promise<string | undefined>;
  open(item: Item): Promise<{ readonly content: ItemContent; readonly isVerified: boolean }>;
  seal(draft: {
    readonly vaultId: string;
    readonly itemId: string;
    readonly baseVersion: number;
    readonly kind: string;
    readonly content: ItemContent;
  }): Promise<Pick<Item, "titleHash" | "encryptedPayload" | "wrappedKeys">>;
}

export async function readUnlocked(_terminal: Terminal): Promise<UnlockedVaults | undefined> {
  return undefined;
}
