import * as check from "@platform-rpc/options";
import type { Contract } from "./contract/contract.js";
import type { ClockWatch } from "./jobs/clock-watch.js";
import type { AuditTrailHead } from "./jobs/seal-audit.js";
import type { Clock } from "./ports/clock.js";
import type { Lease } from "./ports/lease.js";
import type { GuessLimiter, Rate, RateLimiter } from "./ports/rate-limiter.js";
import type { Storage } from "./ports/storage.js";
import type { TokenLookup, TokenVerifier } from "./ports/tokens.js";
import type { KeyStore } from "./tokens/key-file.js";

/**
 * The five settings that every platform has, and the parts that you can replace.
 *
 * @example
 * ```ts
 * import { createMemoryKeyStore, createPlatform, type PlatformOptions } from "@platform-rpc/server";
 *
 * const options: PlatformOptions = {
 *   storage,
 *   keys: createMemoryKeyStore(),
 *   issuer: "https://id.example",
 *   audience: "https://api.example",
 *   brokerAudience: "https://broker.example",
 * };
 * const { operations } = await createPlatform(options);
 * console.log(await operations.createVault({ tenantId: "acme", vaultId: "team", retentionDays: 7 }, call));
 * // { ok: true, vaultId: 'team' }
 * ```
 */
export interface PlatformOptions {
  readonly storage: Storage;
  /** Where the signing keys are kept: see `createFileKeyStore`. */
  readonly keys: KeyStore;
  /** The `iss` of every token. */
  readonly issuer: string;
  /** The `aud` of access tokens: this API. */
  readonly audience: string;
  /** The `aud` of broker tokens. */
  readonly brokerAudience: string;
  /** The operations, reasons, rates and constraints that are enforced. Default: the public contract, in all of its versions. */
  readonly contract?: Contract;
  /**
   * The rate of an operation for one principal, by operation name. Overrides those of the contract. An operation that is in neither
   * may be called 6,000 times a minute, with a burst of 1,000.
   */
  readonly rates?: Readonly<Record<string, Rate>>;
  /**
   * The URL of the page on which a person changes what they have approved, for the metadata of DELEGATION_EXHAUSTED. Default: the metadata
   * has no `page`.
   */
  readonly delegationPage?: string | undefined;
  /** Limits the rate of calls. Default: a limiter in this process's memory. `false` disables the limit. */
  readonly rateLimiter?: RateLimiter | false | undefined;
  /** Counts wrong user codes. Default: a limiter in this process's memory. `false` disables the limit. */
  readonly guesses?: GuessLimiter | false | undefined;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
  /** Whether the clock can be trusted with shredding, purging and key rotation. Default: watches the clock of this machine. */
  readonly clockWatch?: ClockWatch;
  /**
   * The lease of the process that shreds, purges and seals the audit trail, if several processes share the storage. `clockWatch`
   * needs the same one. Default: this process does.
   */
  readonly lease?: Pick<Lease, "hold"> | undefined;
  readonly verifier?: TokenVerifier;
  /** Called each time a token is looked up, for metrics. It must not throw. */
  readonly onTokenLookup?: (lookup: TokenLookup) => void;
  /**
   * Called when the job has sealed audit records, with the newest seal. Write it to a log that this process cannot change later: only
   * a head that was kept outside the database shows that someone has computed the chain again. It must not throw.
   */
  readonly onAuditSealed?: ((head: AuditTrailHead) => void) | undefined;
}

// If a name were missing, as when an environment variable is not set, that claim would not be checked.
const name = check.must("be a text, usually a URL: tokens are checked against it", check.isText);

const count = check.must("be a number from 0", check.isFrom(0));
const rate: check.OptionRules<Rate> = { perMinute: count, burst: count };
const unlessFalse = (...functions: readonly string[]) =>
  check.may(
    `be false or an object with ${functions.join(", ")}`,
    (value) => !value || check.hasFunctions(value, ...functions),
  );

const rules: check.OptionRules<PlatformOptions> = {
  storage: check.part("be a storage, such as that of createSqliteStorage", "transact"),
  keys: check.part("be a key store: pass createFileKeyStore(path), not the path or the keys", "load", "save"),
  issuer: name,
  audience: name,
  brokerAudience: name,
  contract: check.ofType("object"),
  rates: check.optional((value) =>
    Object.fromEntries(Object.keys(Object(value)).map((each) => [each, check.nested(rate)])),
  ),
  delegationPage: check.may("be a URL", check.isText),
  rateLimiter: unlessFalse("take"),
  guesses: unlessFalse("guess", "pardon"),
  clock: check.withFunctions("now"),
  clockWatch: check.withFunctions("read", "trust"),
  lease: check.withFunctions("hold"),
  verifier: check.withFunctions("verify"),
  onTokenLookup: check.ofType("function"),
  onAuditSealed: check.ofType("function"),
};

/** @throws TypeError that names each invalid option and what is expected, or when the audiences are equal. */
export function checkPlatformOptions(options: PlatformOptions): void {
  check.requireOptions("createPlatform", options, rules);
  const { audience, brokerAudience } = options;
  if (audience === brokerAudience)
    throw new TypeError(
      `createPlatform: audience and brokerAudience are both ${audience}. Make them different, so that this API does not accept broker tokens.`,
    );
}

/**
 * Checks the audience of another resource.
 *
 * @throws TypeError when it is empty, or one of those in use.
 */
export function checkResourceAudience(audience: string, used: readonly string[]): void {
  if (!check.isText(audience))
    throw new TypeError("createResource: the audience is required. Set it, usually to a URL.");
  if (!used.includes(audience)) return;
  throw new TypeError(
    `createResource: ${audience} is already the audience of the API or of brokers. Each resource needs its own, so that it accepts only its own tokens.`,
  );
}
