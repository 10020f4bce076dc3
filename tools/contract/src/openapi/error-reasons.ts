import type { DescEnumValue, DescMessage, FileRegistry } from "@bufbuild/protobuf";
import { commentOf } from "./comment.ts";
import { optionOf } from "./option.ts";

/** A reason why a call fails, as the contract describes it. */
export interface ErrorReason {
  /** As it stands in ErrorInfo. */
  readonly name: string;
  /** The Connect code. */
  readonly code: string;
  readonly httpStatus: number;
  readonly comment: string;
  /** The one detail besides ErrorInfo. */
  readonly detail: DescMessage | undefined;
  /** The response headers that come with it. */
  readonly headers: readonly string[];
  /** False for what only the log knows, because the caller has gone. */
  readonly answered: boolean;
}

const packageName = "platform.v1";
/** RFC 9110 sections 15.5.2 and 15.5.6 demand these with every answer of the status. */
const headerOfStatus: ReadonlyMap<number, string> = new Map([
  [401, "WWW-Authenticate"],
  [405, "Allow"],
]);
const namedHeader = /\b(WWW-Authenticate|Retry-After|Allow|Accept-Post)\s+header\b/g;

/** The reasons of the public contract, in its order. */
export function readErrorReasons(contract: FileRegistry): ReadonlyMap<string, ErrorReason> {
  const values = contract.getEnum(`${packageName}.ErrorReason`)?.values ?? [];
  const reasons = values.filter((value) => value.number !== 0).map((value) => readReason(value, contract));
  if (reasons.length === 0) throw new TypeError(`${packageName}.ErrorReason holds no reason`);
  return new Map(reasons.map((reason) => [reason.name, reason]));
}

function readReason(value: DescEnumValue, contract: FileRegistry): ErrorReason {
  const { code, httpStatus } = optionOf(value, "platform.options.v1.reason", contract);
  const comment = commentOf(value);
  const named = [...comment.matchAll(namedHeader)].flatMap(([, header = ""]) => header);
  const demanded = headerOfStatus.get(Number(httpStatus));
  return {
    name: value.localName,
    code: String(code).replace("CODE_", "").toLowerCase(),
    httpStatus: Number(httpStatus),
    comment,
    detail: detailNamedIn(comment, contract),
    headers: [...new Set(demanded === undefined ? named : [demanded, ...named])].sort(),
    answered: !/\bSeen in logs only\b/.test(comment),
  };
}

/** The detail in "A google.rpc.BadRequest detail names each one." */
function detailNamedIn(comment: string, contract: FileRegistry): DescMessage | undefined {
  const [, name] = /\bA ((?:[a-z]\w*\.)*[A-Z]\w*) detail\b/.exec(comment) ?? [];
  if (name === undefined) return undefined;
  const message = contract.getMessage(name.includes(".") ? name : `${packageName}.${name}`);
  if (message === undefined) throw new TypeError(`a comment names the detail ${name}, which is no message`);
  return message;
}
