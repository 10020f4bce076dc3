import { clone, type DescService, type FileRegistry, getOption, hasOption, merge } from "@bufbuild/protobuf";
import { limits as limitsOption } from "../gen/platform/options/v1/file_pb.js";
import { type CallOptions, CallOptionsSchema, call, calls } from "../gen/platform/options/v1/operation_pb.js";

/** The limits that callers may rely on. All times are in milliseconds, all sizes in bytes. */
export interface ContractLimits {
  /** The maximum size of a request body. */
  readonly bodyBytes: number;
  /** The maximum size of the request line and headers together. */
  readonly headerBytes: number;
  /** The timeout of a call without Connect-Timeout-Ms. */
  readonly defaultTimeoutMs: number;
  /** The maximum timeout of a call. A longer Connect-Timeout-Ms is reduced to it, not rejected. */
  readonly longestTimeoutMs: number;
  /** The time in which a complete request, headers and body, must arrive. Must be finite. */
  readonly receiveTimeoutMs: number;
  /** A connection is closed if the operating system, which buffers for its caller, takes nothing of a response for this time. */
  readonly writeTimeoutMs: number;
  /** The maximum number of requests that wait on a connection behind the current one. One more is RATE_LIMITED, and ends the connection. */
  readonly pipelinedRequests: number;
  /** The maximum number of admitted calls of one principal whose responses have not been sent. Further ones are RATE_LIMITED. */
  readonly callsInFlightPerPrincipal: number;
}

/** @throws TypeError when no file has the option (platform.options.v1.limits), or when a limit is 0. */
export function readLimits(registry: FileRegistry): ContractLimits {
  const file = [...registry.files].find((candidate) => hasOption(candidate, limitsOption));
  if (file === undefined) throw new TypeError("no file of the contract has the option (platform.options.v1.limits)");
  const { $typeName: _, $unknown: __, ...limits } = getOption(file, limitsOption);
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === 0)
      throw new TypeError(`${file.name}.proto must set ${name} in the option (platform.options.v1.limits)`);
  }
  return limits;
}

/** Reads the maximum sizes of request bodies, in bytes, of the operations that have one. */
export function readBodyBytes(calls: CallsOptions): Readonly<Record<string, number>> {
  const sizes = calls.map(([operation, { bodyBytes }]) => [operation, bodyBytes] as const);
  return Object.fromEntries(sizes.filter(([, bodyBytes]) => bodyBytes > 0));
}

/** The options of the calls of each operation. */
export type CallsOptions = readonly (readonly [operation: string, CallOptions])[];

/** Reads the options of the calls of each operation, and what its service says for all of its operations. */
export function readCallOptions(services: readonly DescService[]): CallsOptions {
  return services.flatMap((service) => {
    const ofAll = getOption(service, calls);
    return service.methods.map((method) => {
      const options = clone(CallOptionsSchema, ofAll);
      merge(CallOptionsSchema, options, getOption(method, call));
      return [`${service.typeName}/${method.name}`, options] as const;
    });
  });
}
