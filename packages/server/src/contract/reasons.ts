import { type DescEnum, type FileRegistry, getOption, hasOption } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { reason as reasonOption } from "../gen/platform/options/v1/reason_pb.js";

/** The definition of an error reason in the contract. */
export interface ReasonSpec {
  readonly code: Code;
  readonly httpStatus: number;
  /** The default message of the error. */
  readonly message: string;
  /** The domain of its ErrorInfo: the version of the contract that defines it. Default: `platform.v1`. */
  readonly domain?: string;
}

/** Error reasons by their names, without the prefix of their enum. */
export type Reasons = ReadonlyMap<string, ReasonSpec>;

/**
 * Reads the error reasons of a contract by the package that defines them, in the order of the packages.
 *
 * @throws TypeError when a reason lacks its code, HTTP status or message.
 */
export function readReasons(registry: FileRegistry): ReadonlyMap<string, Reasons> {
  const enums = [...registry].filter((type) => type.kind === "enum");
  const reasons = enums.filter(({ values }) => values.some((value) => hasOption(value, reasonOption)));
  const ownerOf = ({ file }: DescEnum) => file.proto.package;
  const owners = new Set(reasons.map(ownerOf));
  return new Map(
    [...owners].map((owner) => [
      owner,
      reasonsIn(
        owner,
        reasons.filter((each) => ownerOf(each) === owner),
      ),
    ]),
  );
}

function reasonsIn(owner: string, enums: readonly DescEnum[]): Reasons {
  const domain = /^platform\.v\d+$/.test(owner) ? { domain: owner } : {};
  return new Map(
    enums
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
        return [[value.localName, { code: connectCode, httpStatus, message, ...domain }]] as const;
      }),
  );
}

const connectCodes = Object.values(Code).filter((code) => typeof code !== "string");
