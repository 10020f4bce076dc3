import type { DescEnumValue, FileRegistry } from "@bufbuild/protobuf";
import { commentOf } from "../openapi/comment.ts";
import { optionOf } from "../openapi/option.ts";
import { digest } from "./digest.ts";
import { word } from "./operations.ts";
import type { Lock, LockedReason } from "./schema.ts";

/**
 * What callers rely on of an error reason. One that no operation names belongs to every call; one that some name belongs
 * to those.
 */
export function lockReason(value: DescEnumValue, operations: Lock["operations"], contract: FileRegistry): LockedReason {
  const { code, httpStatus } = optionOf(value, "platform.options.v1.reason", contract);
  const naming = Object.entries(operations).filter(([, { errors }]) => errors.includes(value.localName));
  return {
    code: word(code, "CODE_"),
    httpStatus: Number(httpStatus ?? 0),
    operations: naming.length > 0 ? naming.map(([name]) => name) : "every call",
    comment: digest(commentOf(value)),
  };
}
