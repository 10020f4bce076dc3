import type { DescMethod, FileRegistry } from "@bufbuild/protobuf";
import { errorsNamedBy } from "../rules/operation-errors.ts";
import { commentOf } from "./comment.ts";
import type { ErrorReason } from "./error-reasons.ts";
import { optionOf } from "./option.ts";

/** An operation for integrators, as the contract describes it. */
export interface PublicOperation {
  /** `platform.v1.VaultService/DeleteItem`. */
  readonly name: string;
  readonly method: DescMethod;
  readonly comment: string;
  readonly requiredScopes: readonly string[];
  /** `idempotent`, `with_key` or `none`. */
  readonly retrySafety: string;
  /** The reasons that its comment names. */
  readonly ownReasons: readonly string[];
  /** Why a call of it fails: for its own reasons, and for those of every call. In the contract's order. */
  readonly reasons: readonly ErrorReason[];
}

/**
 * The public operations of the contract, by name.
 *
 * A reason that some operation names in the sentence "Errors besides those of every call: …" belongs to the operations
 * that name it; one that no operation names belongs to every call.
 *
 * @throws TypeError when an operation lacks the sentence, or names there what is no reason.
 */
export function readPublicOperations(
  contract: FileRegistry,
  reasons: ReadonlyMap<string, ErrorReason>,
): readonly PublicOperation[] {
  const methods = [...contract.files]
    .flatMap((file) => file.services)
    .flatMap((service) => service.methods)
    .filter((method) => isPublic(method, contract))
    .map((method) => ({ method, ownReasons: reasonsNamedBy(method, reasons) }))
    .sort((one, other) => (nameOf(one.method) < nameOf(other.method) ? -1 : 1));
  const owned = new Set(methods.flatMap(({ ownReasons }) => ownReasons));
  return methods.map(({ method, ownReasons }) => {
    const { requiredScopes, retrySafety } = operationOption(method, contract);
    return {
      name: nameOf(method),
      method,
      comment: commentOf(method),
      requiredScopes: Array.isArray(requiredScopes) ? requiredScopes.map(String) : [],
      retrySafety: String(retrySafety).replace("RETRY_SAFETY_", "").toLowerCase(),
      ownReasons,
      reasons: [...reasons.values()].filter(({ name }) => ownReasons.includes(name) || !owned.has(name)),
    };
  });
}

function reasonsNamedBy(method: DescMethod, reasons: ReadonlyMap<string, ErrorReason>): readonly string[] {
  if (!/\bErrors besides those of every call: /.test(commentOf(method))) {
    throw new TypeError(`${method} lacks the sentence "Errors besides those of every call: …"`);
  }
  const named = errorsNamedBy(method) ?? [];
  const unknown = named.filter((name) => !reasons.has(name));
  if (unknown.length > 0) throw new TypeError(`${method} names ${unknown.join()}, which is no reason of the contract`);
  return named;
}

function isPublic(method: DescMethod, contract: FileRegistry): boolean {
  const { visibility } = operationOption(method, contract);
  return visibility === "VISIBILITY_PUBLIC";
}

function operationOption(method: DescMethod, contract: FileRegistry) {
  return optionOf(method, "platform.options.v1.operation", contract);
}

function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}
