import type { FieldType } from "@platform-rpc/items/item-content";

/** Returns how a value is stored for which the kind has no place. A key or a one-time secret is hidden wherever it is. */
export function typeOfValue(type: FieldType, value: string): FieldType {
  if (/-----BEGIN (?!PUBLIC)|^\s*(?:otpauth[a-z-]*:\/\/|steam:\/\/[a-z2-7]{16})/i.test(value))
    return type === "totp" ? type : "secret";
  return type === "text" && /[\r\n]/.test(value) ? "note" : type;
}
