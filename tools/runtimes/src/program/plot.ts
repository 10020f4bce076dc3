import type { EncryptedPayload, ItemPlace } from "@platform-rpc/client/crypto";

/** The entries of @platform-rpc/client that call the platform. */
export const entries = ["@platform-rpc/client", "@platform-rpc/client/json"] as const;
export type Entry = (typeof entries)[number];

/** A deletion. */
export interface Item {
  readonly vaultId: string;
  readonly itemId: string;
  readonly baseVersion: number;
}

/** What the program has to use up with one entry: nobody else acts on it. */
export interface Scene {
  /** Where the platform is. */
  readonly baseUrl: string;
  readonly token: string;
  readonly item: Item;
  /** For the session of the device login. */
  readonly otherItem: Item;
  /** Of an authorization that the user has approved. */
  readonly approvedCode: string;
  /** Of an authorization that the user has not seen yet. */
  readonly deviceCode: string;
  /** A POST lets the user approve that one. */
  readonly approvalUrl: string;
  /** A server that answers every call with 307 to another origin. */
  readonly redirectingUrl: string;
}

/** What the program is given. It crosses into the runtime as JSON. */
export interface Plot {
  readonly scenes: Readonly<Record<Entry, Scene>>;
  /** What @platform-rpc/client publishes for those who implement its formats. */
  readonly vectors: Vectors;
}

/** The published test vectors, as far as the public API can use them. */
export interface Vectors {
  readonly items: readonly SealedVector[];
  readonly keyAgreement: WrappedVector;
  readonly rsa: WrappedVector;
  readonly titles: readonly { readonly titleKey: string; readonly title: string; readonly titleHash: string }[];
}

/** A sealed item, of either format, with its key and the keys of its writer. */
export interface SealedVector {
  readonly place: ItemPlace;
  readonly kind: string;
  readonly titleHash: string;
  readonly plaintext: string;
  readonly itemKey: string;
  readonly writer?: { readonly writerId: string; readonly privateKey: Jwk };
  readonly encryptedPayload: EncryptedPayload;
}

/** An item key that is wrapped for a recipient, with that recipient's key. */
export interface WrappedVector {
  readonly recipientPrivateKey: Jwk;
  readonly wrapped: { readonly recipientId: string; readonly wrapAlg: string; readonly wrappedKey: string };
}

interface Jwk {
  readonly kty: string;
  readonly [member: string]: string;
}
