import type { DescEnumValue, FileRegistry } from "@bufbuild/protobuf";

export const publicReasons = "platform.v1.ErrorReason";
export const internalReasons = "platform.internal.v1.InternalErrorReason";

/** The values of the enums of reasons, without the unspecified ones. */
export function reasonValues(
  contract: FileRegistry,
  enums: readonly string[] = [publicReasons, internalReasons],
): readonly DescEnumValue[] {
  return enums.flatMap((name) => contract.getEnum(name)?.values ?? []).filter((value) => value.number !== 0);
}
