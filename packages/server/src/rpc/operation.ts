import { type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { operation as operationOption, RetrySafety, Visibility } from "@platform/types";
import type { OperationPolicy } from "../domain/access.js";

/** An operation, as its options in the contract describe it. */
export interface Operation extends OperationPolicy {
  readonly method: DescMethod;
  readonly visibility: Visibility;
  readonly retrySafety: RetrySafety;
}

/**
 * Reads what the contract says of an operation.
 *
 * @throws TypeError when it says nothing, or leaves a part unspecified: a server must not start with such an operation.
 */
export function readOperation(method: DescMethod): Operation {
  const name = `${method.parent.typeName}/${method.name}`;
  const options = hasOption(method, operationOption) ? getOption(method, operationOption) : undefined;
  if (
    options === undefined ||
    options.visibility === Visibility.UNSPECIFIED ||
    options.retrySafety === RetrySafety.UNSPECIFIED ||
    options.requiredScopes.length === 0
  ) {
    throw new TypeError(
      `${name} must say its visibility, required scopes and retry safety in the option (platform.options.v1.operation)`,
    );
  }
  const { visibility, requiredScopes, retrySafety } = options;
  return { operation: name, method, visibility, requiredScopes, retrySafety };
}

/** The operations of some services, by their names. */
export function readOperations(services: readonly DescService[]): ReadonlyMap<string, Operation> {
  const operations = services.flatMap((service) => service.methods.map(readOperation));
  return new Map(operations.map((operation) => [operation.operation, operation]));
}
