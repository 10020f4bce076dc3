import type { EncryptedPayload, ItemPlace } from "@platform-rpc/client/crypto";

/** The entries of @platform-rpc/client that call the platform. */
export const entries = ["@platform-rpc/client", "@platform-rpc/client/json"] as const;
export type Entry = (typeof entries)[number];

/** A DeleteItem request. */
export interface Item {
  readonly vaultId: string;
  readonly itemId: string;
  readonly baseVersion: number;
}

/** The data of one entry's calls. Each is used once. */
export interface Fixture {
  /** The URL of the platform. */
  readonly baseUrl: string;
  readonly token: string;
  readonly item: Item;
  /** An item that the session of the device login deletes. */
  readonly otherItem: Item;
  /** The device code of an approved authorization. */
  readonly approvedCode: string;
  /** The device code of a pending authorization. */
  readonly deviceCode: string;
  /** A URL whose POST approves the pending authorization. */
  readonly approvalUrl: string;
  /** The URL of a server that redirects every call (307) to another origin. */
  readonly redirectingUrl: string;
}

/** The input of the program, passed to the runtime as JSON. */
export interface ProgramInput {
  readonly fixtures: Readonly<Record<Entry, Fixture>>;
  /** The test vectors that @platform-rpc/client publishes for other implementations. */
  readonly vectors: Vectors;
}

/** The parts of the published test vectors that the public API can use. */
export interface Vectors {
  readonly items: readonly SealedVector[];
  readonly keyAgreement: WrappedVector;
  readonly rsa: WrappedVector;
  readonly titles: readonly { readonly titleKey: string; readonly title: string; readonly titleHash: string }[];
}

/** A sealed item of either format, with its item key and its writer's key. */
export interface SealedVector {
  readonly place: ItemPlace;
  readonly kind: string;
  readonly titleHash: string;
  readonly plaintext: string;
  readonly itemKey: string;
  readonly writer?: { readonly writerId: string; readonly privateKey: Jwk };
  readonly encryptedPayload: EncryptedPayload;
}

/** A wrapped item key, with the recipient's private key. */
export interface WrappedVector {
  readonly recipientPrivateKey: Jwk;
  readonly wrapped: { readonly recipientId: string; readonly wrapAlg: string; readonly wrappedKey: string };
}

interface Jwk {
  readonly kty: string;
  readonly [member: string]: string;
}
