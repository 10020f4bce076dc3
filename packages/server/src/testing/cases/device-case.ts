import type { Section } from "./section.js";

/** The scopes of the contract, the operations that need them, and a scope that no operation needs. */
export const deleteScope = "vault.items:delete";
export const exchangeScope = "identity.device_authorizations:exchange";
export const otherScope = "other:scope";
export const deleteOperation = "platform.v1.VaultService/DeleteItem";
export const exchangeOperation = "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";

/** The RFC 7638 thumbprints of `caseKeys`, for ways in that need proofs. */
export const keyId = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
export const otherKeyId = "FtIu-VbGrfe_KB6CH7GNwODB72MNxj_ml11dEvO-7kk";

/** The private keys of RFC 8032 section 7.1, tests 1 and 2, by their thumbprints. The first is that of RFC 8037, too. */
export const caseKeys = {
  [keyId]: {
    ...{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" },
    d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  },
  [otherKeyId]: {
    ...{ kty: "OKP", crv: "Ed25519", x: "PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw" },
    d: "TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs",
  },
};

/** A call about a device authorization. */
export type DeviceCall =
  | {
      /** Redeem is the exchange of the OAuth listener: a grant opens a refresh family. */
      readonly operation: "Exchange" | "Redeem";
      /** Default: an agent of the OAuth client that started the authorization. */
      readonly by?: "another principal" | "another client" | "another tenant" | undefined;
      /** Default: the code of the authorization. */
      readonly code?: "unknown";
      /** Distinguishes Idempotency-Keys. Default: the call has none. */
      readonly key?: "first" | "second" | undefined;
      /** The thumbprint of the key of which the caller has a proof. Default: no proof. */
      readonly proof?: string;
    }
  | {
      readonly operation: "Get" | "Deny" | "Approve";
      /** Default: the approver, who is a principal of the tenant of the authorization. */
      readonly by?: "another tenant";
      readonly code?: "unknown";
      /** What is approved. Default: all that is requested. */
      readonly scopes?: readonly string[];
    }
  | {
      readonly operation: "Start";
      readonly scopes: readonly string[];
      /** Default: a new user code, and an OAuth client that exists. */
      readonly with?: "the same user code" | "an unknown client";
    };

type ExchangeCall = Extract<DeviceCall, { readonly operation: "Exchange" | "Redeem" }>;

/** Returns whether a call is made with the device code. */
export function isExchange(call: DeviceCall): call is ExchangeCall {
  return call.operation === "Exchange" || call.operation === "Redeem";
}

/** What happens before the call: a call whose result is not compared, or a change of what the rules read. */
export type DeviceEvent =
  | DeviceCall
  | { readonly passMs: number }
  /** The clock is set back. */
  | { readonly stepBackMs: number }
  | { readonly approver: "active" | "inactive" }
  | { readonly allowed: readonly string[] }
  | "the client is disabled"
  | "the grant is revoked";

/** What is given: a device authorization, and what has happened since its start. */
export interface DeviceGiven {
  /** Default: `deleteScope`. */
  readonly scopes?: readonly string[];
  /** The thumbprint of the key of its tokens. Default: none. */
  readonly popKeyId?: string;
  readonly history?: readonly DeviceEvent[];
}

/** What must come out. Each implies what is written, and what is in the audit trail: see `run-device-cases.ts`. */
export type DeviceOutcome =
  /** A new grant. */
  | { readonly status: "approved"; readonly scopes: readonly string[]; readonly popKeyId?: string }
  /** The grant that an exchange in the history has returned. */
  | { readonly status: "approved"; readonly replayed: true }
  | {
      readonly status: "authorization_pending" | "slow_down";
      readonly expiresInSeconds: number;
      readonly intervalSeconds: number;
    }
  /** With `no_scopes`, the code is burned. */
  | { readonly status: "access_denied"; readonly because: "denied" | "burned" | "no_scopes" }
  | { readonly status: "expired_token" }
  /** An exchange that is rejected with PRINCIPAL_DISABLED burns the code. */
  | { readonly reason: string; readonly revokes?: "the grant" | "the grant and its family" | "the family" }
  | { readonly answered: "approved" | "denied"; readonly scopes: readonly string[] }
  /** The status that the approver reads. */
  | { readonly shown: string }
  | { readonly started: readonly string[] };

/** A row: the same call with the same outcome for the rules, for every storage, and for every way in. */
export interface DeviceCase {
  /** The section that decides it. */
  readonly section: Section;
  readonly title: string;
  readonly given: DeviceGiven;
  readonly call: DeviceCall;
  readonly outcome: DeviceOutcome;
}

export const poll = { operation: "Exchange" } as const satisfies DeviceEvent;
export const approve = { operation: "Approve" } as const satisfies DeviceEvent;
export const deny = { operation: "Deny" } as const satisfies DeviceEvent;
/** The exchange that consumes an approved code, with a key, so that it can be replayed. */
export const consume = { operation: "Exchange", key: "first" } as const satisfies DeviceEvent;
export const pass = (passMs: number): DeviceEvent => ({ passMs });
/** The time after which a code has expired. */
export const expire = pass(600_000);
/** An approved code that cannot be granted any scope, and is burned by its exchange. */
export const burned = [approve, { approver: "inactive" }, poll, { approver: "active" }] as const;
