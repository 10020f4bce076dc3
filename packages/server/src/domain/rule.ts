import type { Decision } from "./decision.js";

/**
 * A rule with its arguments: everything that a decision needs except the snapshot.
 *
 * It is data: a storage in another thread or process can send `name` and `args`, and apply the rule of that name there. Every
 * other storage calls `decide`.
 */
export interface BoundRule<in Snapshot, out Outcome> {
  /** The name of the rule. */
  readonly name: string;
  /** The arguments: plain data without functions. */
  readonly args: readonly unknown[];
  /** Decides on a snapshot. Pure and synchronous. */
  readonly decide: (snapshot: Snapshot) => Decision<Outcome>;
}

/** A rule: a function that binds its arguments. */
export interface Rule<in Snapshot, Args extends readonly unknown[], out Outcome> {
  /** Unique among the rules of a storage. */
  readonly name: string;
  (...args: Args): BoundRule<Snapshot, Outcome>;
}

/** Any rule. */
export interface AnyRule {
  readonly name: string;
  (...args: readonly never[]): BoundRule<never, unknown>;
}

/** The type of `T` without functions. Data that can be copied to another thread is assignable to it. */
export type Plain<T> = T extends (...args: never) => unknown
  ? never
  : T extends ReadonlyMap<infer Key, infer Value>
    ? ReadonlyMap<Plain<Key>, Plain<Value>>
    : T extends object
      ? { readonly [Key in keyof T]: Plain<T[Key]> }
      : T;

/**
 * Defines a rule that `Storage.transact` can apply.
 *
 * `decide` is pure and synchronous. Its arguments and its outcome are plain data without functions. The time is an argument,
 * read when the call is made: a storage decides calls in the order in which they were made, so later decisions have later times.
 *
 * @example
 * ```ts
 * import { defineRule, type VaultSnapshot } from "@platform-rpc/server";
 *
 * const vaultExists = defineRule("vaultExists", ({ vault }: VaultSnapshot) => ({ outcome: vault !== undefined, writes: [] }));
 *
 * const { outcome } = await storage.transact({ kind: "vault", tenantId: "acme", vaultId: "none" }, vaultExists());
 * console.log(outcome);
 * // false
 * ```
 */
export function defineRule<Snapshot, Args extends readonly unknown[], Outcome>(
  name: string,
  decide: ((snapshot: Snapshot, ...args: Args) => Decision<Outcome>) &
    ([Args, Outcome] extends Plain<[Args, Outcome]> ? unknown : "arguments and outcome must not contain functions"),
): Rule<Snapshot, Args, Outcome> {
  const rule = (...args: Args): BoundRule<Snapshot, Outcome> => ({
    name,
    args,
    decide: (snapshot) => decide(snapshot, ...args),
  });
  return Object.defineProperty(rule, "name", { value: name });
}
