import { isFrom, isListOf, isText, must, type Rule } from "@platform-rpc/options";
import { isId } from "../contract/id.js";

// The bounds of the private contract. Its listener checks them earlier; programs call the operations without it.
const idText =
  "be an id: 1 to 128 of the characters A-Z, a-z, 0-9, `.`, `_`, `:` and `-`, the first a letter or a digit";
const roles: readonly unknown[] = ["", "owner", "admin", "member", "viewer"];

export const id: Rule = must(idText, isId);
export const idOrEmpty: Rule = must(`${idText}; or empty, for a new id`, (value) => value === "" || isId(value));
export const anyRole: Rule = must("be owner, admin, member or viewer; or empty, to remove the member", (value) =>
  roles.includes(value),
);
export const flag: Rule = must("be true or false", (value) => typeof value === "boolean");
export const text: Rule = must("be a text", (value) => typeof value === "string");
export const texts: Rule = must("be a list of texts", (value) => isListOf(value, isText));

/** RFC 6749 section 3.3. With a space in one, a token would have other scopes. */
export const scopeList: Rule = must(
  "be a list of scopes: of printable ASCII without spaces, quotes and backslashes",
  (value) => isListOf(value, (scope) => typeof scope === "string" && /^[!#-[\]-~]+$/.test(scope)),
);

export const wholeTo = (most: number): Rule =>
  must(`be a whole number from 0 to ${most}`, (value) => Number.isInteger(value) && isFrom(0, most)(value));
