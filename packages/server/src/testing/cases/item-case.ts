import type { ItemContent } from "../../domain/model/item.js";
import type { Section } from "./section.js";

/** What happens before the call. Each change of the item is made at the version that it then has. */
export type ItemEvent =
  | "put"
  | "delete"
  | "restore"
  /** The job that shreds runs. It shreds the tombstones whose retention has ended. */
  | "shred"
  | "another item changes"
  | { readonly daysPass: number };

/** What is given: a vault, the caller's role in it, and the history of the item. */
export interface ItemGiven {
  /** Default: a vault of the caller's tenant. */
  readonly vault?: "missing" | "of another tenant";
  /** Default: 30. */
  readonly retentionDays?: number;
  /** Default: "owner". */
  readonly role?: string | "none";
  /** Default: the item was never created. */
  readonly history?: readonly ItemEvent[];
  /** The floor of the versions of new items, after a backup was restored. Default: 0. */
  readonly floor?: number;
}

/** A call of an operation on the item. */
export type ItemCall =
  | { readonly operation: "DeleteItem" | "RestoreItem"; readonly baseVersion: number }
  | { readonly operation: "PutItem"; readonly baseVersion: number; readonly content: ItemContent }
  | { readonly operation: "GetItem" };

/** What must come out. The vault contains another item, at sequence 1, before the first event. */
export type ItemOutcome =
  /** The item is changed now, one sequence after the head of the vault, and one event is in the audit trail. */
  | {
      readonly changed: "deleted" | "restored" | "created" | "replaced";
      readonly version: number;
      readonly sequence: number;
      /** Default: the content that was put first. */
      readonly content?: ItemContent;
    }
  /** The stored item is returned, and nothing is written. */
  | {
      readonly changed?: undefined;
      readonly version: number;
      readonly deleted: boolean;
      readonly sequence: number;
      readonly content?: ItemContent;
    }
  /** The call is rejected, and nothing is written. */
  | { readonly reason: ItemReason; readonly conflict?: undefined }
  | {
      readonly reason: "VERSION_CONFLICT";
      readonly conflict: { readonly currentVersion: number; readonly deleted: boolean; readonly sequence: number };
      /** True if the content decides: only then is it loaded. */
      readonly comparesContent?: true;
    };

/** Why a call on an item is rejected, besides VERSION_CONFLICT. */
export type ItemReason =
  | "VAULT_NOT_FOUND"
  | "ROLE_FORBIDS_DELETE"
  | "ROLE_FORBIDS_CHANGE"
  | "ITEM_NOT_FOUND"
  | "ITEM_SHREDDED";

/** A row: the same call with the same outcome for the rules, for every storage, and for every way in. */
export interface ItemCase {
  /** The section that decides it. */
  readonly section: Section;
  readonly title: string;
  readonly given: ItemGiven;
  readonly call: ItemCall;
  readonly outcome: ItemOutcome;
}

/** The content of "put". */
export const content: ItemContent = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "c2VjcmV0", version: 1 },
  wrappedKeys: [{ recipientId: "u-1", wrapAlg: "A256KW", wrappedKey: "a2V5" }],
};

/** The same content after shredding. */
export const shredded: ItemContent = {
  kind: "login",
  titleHash: "",
  encryptedPayload: { alg: "A256GCM", nonce: "", aad: "", ciphertext: "", version: 1 },
  wrappedKeys: [],
};

export const conflictWith = (currentVersion: number, deleted: boolean, sequence: number) =>
  ({ reason: "VERSION_CONFLICT", conflict: { currentVersion, deleted, sequence } }) as const;
