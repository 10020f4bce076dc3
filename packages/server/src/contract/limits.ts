import { type FileRegistry, getOption, hasOption } from "@bufbuild/protobuf";
import { limits as limitsOption } from "../gen/platform/options/v1/file_pb.js";

/** The limits that callers may rely on. All times are in milliseconds, all sizes in bytes. */
export interface ContractLimits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  readonly defaultTimeoutMs: number;
  readonly longestTimeoutMs: number;
  readonly receiveTimeoutMs: number;
  readonly writeTimeoutMs: number;
  readonly pipelinedRequests: number;
  readonly callsInFlightPerPrincipal: number;
}

/**
 * Reads the default limits of a contract.
 *
 * @throws TypeError when no file has the option (platform.options.v1.limits), or when a limit is 0.
 */
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
