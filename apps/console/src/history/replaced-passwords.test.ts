import { expect, it } from "vitest";
import type { Content } from "../opening/open-content.js";
import { replacedPasswords } from "./replaced-passwords.js";

/** Returns a content with a password. Undefined: one that cannot be opened. */
function contentWith(password: string | undefined): Content {
  if (password === undefined) return { closed: "It cannot be opened." };
  const fields = [{ name: "password", type: "secret", value: password } as const];
  return {
    title: "Mail",
    fields,
    revision: { version: 1, hash: "" },
    ...(password === "unverified" && { isUnverified: true }),
  };
}

it.each<[title: string, now: string, before: readonly (string | undefined)[], replaced: readonly string[]]>([
  ["each that differs from the next one", "c", ["b", "a"], ["b", "a"]],
  ["none for a change of another field", "b", ["b", "b", "a"], ["a"]],
  ["one again that was used twice", "a", ["b", "a"], ["b", "a"]],
  ["none of a content that nobody they trust has signed", "c", ["unverified", "b"], ["b"]],
  ["none of a content without one, or that cannot be opened", "a", ["", undefined, "a"], []],
])("the passwords that were replaced are %s", (_, now, before, replaced) => {
  const earlier = before.map((password, index) => {
    const times = { updatedAt: new Date(0), replacedAt: new Date(0) };
    return { version: 9 - index, kind: "login", ...times, content: contentWith(password) };
  });
  expect(replacedPasswords(earlier, contentWith(now)).map(({ value }) => value)).toEqual(replaced);
});
