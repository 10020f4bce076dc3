import { type DescEnum, getOption } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { type ErrorReason, ErrorReasonSchema, reason as reasonOption } from "@platform-rpc/types";

/** A reason of the public contract, as it stands on the wire. */
export type PublicReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;

/** Where a reason stands on the wire. */
export interface ReasonPlace {
  readonly code: Code;
  readonly httpStatus: number;
}

/**
 * The one table from reasons to codes and HTTP statuses: read from the options in the contract.
 *
 * @throws TypeError when a reason lacks its options.
 */
export function readReasons(schema: DescEnum): ReadonlyMap<string, ReasonPlace> {
  const table = new Map<string, ReasonPlace>();
  for (const value of schema.values) {
    if (value.number === 0) continue;
    const { code, httpStatus } = getOption(value, reasonOption);
    // Our Code enum is numbered as Connect numbers its codes.
    const connectCode = connectCodes.find((known) => known === Number(code));
    if (connectCode === undefined || httpStatus === 0) {
      throw new TypeError(`${schema.typeName}.${value.name} lacks the option (platform.options.v1.reason)`);
    }
    table.set(value.localName, { code: connectCode, httpStatus });
  }
  return table;
}

const connectCodes = Object.values(Code).filter((code) => typeof code !== "string");

/** The reasons of the public contract. */
export const publicReasons = readReasons(ErrorReasonSchema);
