import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Patterns that a published package must not contain, with descriptions. */
const forbidden: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /platform[./]internal/, what: "the private contract" },
  { pattern: /types-internal/, what: "the package of the private contract" },
  { pattern: /(?:Vault|Access)AdminService|(?<!\w)DeviceAuthorizationService/, what: "a private service" },
  { pattern: /\b(?:TODO|FIXME|XXX)\b/, what: "unfinished work" },
  {
    pattern: /(?<![\w./:@-])\/(?:home|root|work|tmp|Users|builds?|github\/workspace)\/[\w.-]+/,
    what: "a machine's path",
  },
  { pattern: /\b[A-Za-z]:\\{1,2}(?:Users|a|work)\\/, what: "a machine's path" },
  { pattern: /"(?:workspace|catalog):/, what: "a version that is valid only in the workspace" },
];

/** A URL with a reserved host that nobody can own (RFC 2606 section 2). Only documentation may show one. */
const placeholder = { pattern: /https?:\/\/(?:[\w-]+\.)*example(?!\.?[\w-])[^\s"'`]*/, what: "a placeholder" };
const documentation = /(?:\.d\.c?ts|\.map|README\.md|CHANGELOG\.md)$/;

/** Returns a finding for each forbidden text in the files of a folder, including source maps and descriptors. */
export function privateNamesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((file) =>
      forbiddenIn(readFileSync(file, "utf8"), file).map((found) => `${relative(folder, file)} ${found}`),
    );
}

/** Searches a text and all base64 in it, because descriptors are base64. */
export function forbiddenIn(text: string, file: string): readonly string[] {
  const decoded = (text.match(/[A-Za-z0-9+/_-]{24,}={0,2}/g) ?? []).map((one) =>
    Buffer.from(one, "base64").toString("latin1"),
  );
  const layers = [text, ...decoded];
  const searched = documentation.test(file) ? forbidden : [...forbidden, placeholder];
  return searched.flatMap(({ pattern, what }) => {
    const found = layers.map((layer) => pattern.exec(layer)?.[0]).find((one) => one !== undefined);
    return found === undefined ? [] : [`contains ${what}: ${found}`];
  });
}
