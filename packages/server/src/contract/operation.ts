import { type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import { type Deprecation, operation as operationOption, RetrySafety, Visibility } from "@platform-rpc/types";
import type { OperationPolicy } from "../domain/model/access.js";
import { operations as operationsOption } from "../gen/platform/options/v1/operation_pb.js";

/** An operation, as its options in the contract describe it. */
export interface Operation extends OperationPolicy {
  readonly method: DescMethod;
  readonly visibility: Visibility;
  readonly retrySafety: RetrySafety;
  /** The headers (names and values) of every response of a deprecated operation. Empty when it is not deprecated. */
  readonly deprecationHeaders: readonly (readonly [string, string])[];
}

/**
 * Reads the options of an operation, and what its service says for all of its operations.
 *
 * @throws TypeError when a part of them is missing: a server must not start with such an operation.
 */
export function readOperation(method: DescMethod): Operation {
  const name = `${method.parent.typeName}/${method.name}`;
  const own = getOption(method, operationOption);
  const ofAll = getOption(method.parent, operationsOption);
  const visibility = own.visibility || ofAll.visibility;
  const retrySafety = own.retrySafety || ofAll.retrySafety;
  const requiredScopes = [...ofAll.requiredScopes, ...own.requiredScopes];
  if (visibility === Visibility.UNSPECIFIED || retrySafety === RetrySafety.UNSPECIFIED || requiredScopes.length === 0) {
    throw new TypeError(
      `${name} must set its visibility, required scopes and retry safety in the option (platform.options.v1.operation)`,
    );
  }
  const deprecationHeaders = readDeprecation(method, own.deprecation);
  return { operation: name, method, visibility, requiredScopes, retrySafety, deprecationHeaders };
}

const day = 24 * 60 * 60 * 1000;

/** The shortest time between the deprecation and the sunset of an operation, in milliseconds. */
const notice = 180 * day;

/** Returns the headers of a deprecated operation. @see RFC 9745 (Deprecation and its link), RFC 8594 (Sunset) */
function readDeprecation(
  { name, deprecated, parent }: DescMethod,
  deprecation: Deprecation | undefined,
): Operation["deprecationHeaders"] {
  if (deprecation === undefined) {
    if (deprecated) throw new TypeError(`${name} is deprecated and must set deprecated_on and sunset_on`);
    return [];
  }
  const since = Date.parse(`${deprecation.deprecatedOn}T00:00:00Z`);
  const until = Date.parse(`${deprecation.sunsetOn}T00:00:00Z`);
  if (!deprecated || !(until - since >= notice)) {
    throw new TypeError(
      `${name} must be marked deprecated, with days as YYYY-MM-DD and sunset_on at least 180 days after deprecated_on`,
    );
  }
  const [, version = "v1"] = /^platform\.(v\d+)\./.exec(parent.typeName) ?? [];
  const page = version === "v1" ? name : `${version}/${name}`;
  return [
    ["Deprecation", `@${since / 1000}`],
    ["Sunset", new Date(until).toUTCString()],
    // Relative to the path of the operation, so that it also leads to this server under a base path.
    ["Link", `<../docs/api/operations/${page}>; rel="deprecation"; type="text/html"`],
  ];
}

/** Reads the operations of some services, by their names. @throws TypeError as `readOperation` does. */
export function readOperations(services: readonly DescService[]): ReadonlyMap<string, Operation> {
  const operations = services.flatMap((service) => service.methods.map(readOperation));
  return new Map(operations.map((operation) => [operation.operation, operation]));
}
