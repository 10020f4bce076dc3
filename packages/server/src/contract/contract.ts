import { createFileRegistry, type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import {
  FileDescriptorSetSchema,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_timestamp,
} from "@bufbuild/protobuf/wkt";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { ErrorReason } from "@platform-rpc/types";
import { descriptorSet } from "../gen/descriptor-set.js";
import { writeJson } from "../gen/json-writers.js";
import type { Rate } from "../ports/rate-limiter.js";
import { type CallsOptions, type ContractLimits, readBodyBytes, readCallOptions, readLimits } from "./limits.js";
import { type Operation, readOperations } from "./operation.js";
import { type Reasons, readReasons } from "./reasons.js";
import { createRequestValidator, type RequestValidator } from "./request-validator.js";

/**
 * Returns the JSON of a response as text, or undefined if it has no generated function. A message in it may bring its JSON: see `$json`
 * of `itemMessage`.
 *
 * @throws Error when the general encoder must write or reject the response.
 */
export type JsonWriter = (response: Message) => string | undefined;

/** The parts of a contract that a server enforces, beyond its messages and services. */
export interface Contract {
  /** The operations of all services, by name: `platform.v1.VaultService/DeleteItem`. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** The error reasons by name. If several packages define a reason, the first definition. */
  readonly reasons: Reasons;
  /** Returns the error reasons by name. The definitions of an operation's own package take precedence. */
  reasonsOf(operation: Operation): Reasons;
  /** The default rates by operation. An operation may have none. */
  readonly rates: Readonly<Record<string, Rate>>;
  readonly limits: ContractLimits;
  /** The maximum size of a request body, in bytes, by operation: for those whose requests may be larger than `limits.bodyBytes`. Default: none. */
  readonly bodyBytes?: Readonly<Record<string, number>>;
  /**
   * The operations whose responses are compressed for callers that accept it. The size of a compressed response tells which texts it
   * repeats: never one with a token, a code, or a secret that is not encrypted. Default: none.
   */
  readonly compressed?: ReadonlySet<string>;
  /**
   * Creates a validator for some messages.
   *
   * @throws TypeError when the contract does not contain one of the messages.
   */
  createValidator(messages: readonly DescMessage[]): RequestValidator;
  /** Writes responses with generated code. The general encoder writes all others. Default: all. */
  readonly writeJson?: JsonWriter | undefined;
}

const imports = [
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_timestamp,
  file_buf_validate_validate,
];

/**
 * Reads a contract from a google.protobuf.FileDescriptorSet in base64. The generated types of the published packages lack
 * what only servers need: constraints, error messages, rates and limits.
 *
 * @param write the generated function that writes the responses of the contract. Default: the general encoder writes them.
 * @throws TypeError when an operation, a reason or a limit is incomplete.
 */
export function readContract(set: string, write?: JsonWriter): Contract {
  const files = fromBinary(FileDescriptorSetSchema, base64Decode(set));
  files.file.unshift(...imports.map((file) => file.proto));
  const registry = createFileRegistry(files);
  const services = [...registry].filter((type) => type.kind === "service");
  const calls = readCallOptions(services);
  const byPackage = readReasons(registry);
  const reasons = new Map([...byPackage.values()].toReversed().flatMap((defined) => [...defined]));
  const known = new Map([...byPackage].map(([owner, defined]) => [owner, new Map([...reasons, ...defined])]));
  return {
    operations: readOperations(services),
    reasons,
    reasonsOf: ({ method }) => known.get(method.parent.file.proto.package) ?? reasons,
    rates: readRates(calls),
    limits: readLimits(registry),
    bodyBytes: readBodyBytes(calls),
    createValidator: (messages) => createRequestValidator(registry, messages),
    writeJson: write,
  };
}

/** An error reason of the public contract. */
export type PublicReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;

/**
 * The public contract.
 *
 * @example
 * ```ts
 * import { publicContract } from "@platform-rpc/server";
 *
 * console.log(publicContract.operations.get("platform.v1.VaultService/DeleteItem")?.requiredScopes);
 * // [ 'vault.items:delete' ]
 * ```
 */
export const publicContract = readContract(descriptorSet, writeJson);

/** Reads the default rates of a contract's operations. An operation without one is not in the result. */
function readRates(calls: CallsOptions): Readonly<Record<string, Rate>> {
  const rates = calls.flatMap(([operation, { rate }]) =>
    rate === undefined ? [] : [[operation, { perMinute: rate.perMinute, burst: rate.burst }] as const],
  );
  return Object.fromEntries(rates);
}
