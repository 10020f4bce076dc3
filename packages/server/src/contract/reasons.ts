import { type FileRegistry, getOption, hasOption } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { reason as reasonOption } from "../gen/platform/options/v1/reason_pb.js";

/** What the contract says about an error reason. */
export interface ReasonSpec {
  readonly code: Code;
  readonly httpStatus: number;
  /** The default message of the error. */
  readonly message: string;
}

/**
 * Reads the error reasons of a contract by their names, without the prefix of their enum.
 *
 * @throws TypeError when a reason lacks its code, HTTP status or message.
 */
export function readReasons(registry: FileRegistry): ReadonlyMap<string, ReasonSpec> {
  const enums = [...registry].filter((type) => type.kind === "enum");
  const reasons = enums.filter(({ values }) => values.some((value) => hasOption(value, reasonOption)));
  return new Map(
    reasons
      .flatMap(({ values }) => values)
      .flatMap((value) => {
        if (value.number === 0) return [];
        const { code, httpStatus, message } = getOption(value, reasonOption);
        // Our Code enum uses the numbers of Connect's codes.
        const connectCode = connectCodes.find((known) => known === Number(code));
        if (connectCode === undefined || httpStatus === 0 || message === "") {
          throw new TypeError(
            `${value.parent.typeName}.${value.name} must have a code, an HTTP status and a message in the option (platform.options.v1.reason)`,
          );
        }
        return [[value.localName, { code: connectCode, httpStatus, message }]] as const;
      }),
  );
}

const connectCodes = Object.values(Code).filter((code) => typeof code !== "string");
