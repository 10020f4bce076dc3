import { parseOneTimeSecret } from "@platform-rpc/items/one-time-code";
import { attachFile } from "./archive.js";
import { type Format, ImportError, type ImportedItem, type Skipped, whyPutAway } from "./format.js";
import { createItemBuilder, sortBuilt } from "./item-builder.js";
import { addOldPassword, mappingOf, whereOf } from "./members.js";
import { readXml, type XmlElement } from "./xml.js";

/** The XML of KeePass 2 and KeePassXC. Its values are not encrypted. */
export const keePass: Format = {
  name: "KeePass XML",
  recognises: ({ text = "" }) => /^\s*</.test(text) && text.slice(0, 65_536).includes("<KeePassFile"),
  read({ text = "" }) {
    const file = readXml(text);
    if (file === undefined) {
      throw new ImportError(
        "The file is not complete XML, or has a document type, which KeePass does not write. Export it from KeePass again, as “KeePass XML (2.x)”.",
      );
    }
    const bin = textIn(childOf(file, "Meta"), "RecycleBinUUID");
    const built = childrenOf(childOf(file, "Root"), "Group").flatMap((group) => itemsIn(group, [], bin));
    return sortBuilt(built);
  },
};

/**
 * @param path the names of the groups. Undefined: the entries are deleted
 * @param bin the id of the group with what was deleted
 */
function itemsIn(
  group: XmlElement,
  path: readonly string[] | undefined,
  bin: string,
): readonly (ImportedItem | Skipped)[] {
  const entries = childrenOf(group, "Entry").flatMap((entry, index) => itemOf(entry, { path, index }));
  const groups = childrenOf(group, "Group").flatMap((inner) => {
    const isBin = bin !== "" && textIn(inner, "UUID") === bin;
    return itemsIn(inner, isBin || path === undefined ? undefined : [...path, textIn(inner, "Name")], bin);
  });
  return [...entries, ...groups];
}

const known = mappingOf("login", "UserName:username Password:password URL:website Notes:notes").fields;

function itemOf(
  entry: XmlElement,
  { path, index }: { readonly path: readonly string[] | undefined; readonly index: number },
): readonly (ImportedItem | Skipped)[] {
  const strings = stringsIn(entry);
  const title = strings.get("Title")?.text ?? "";
  const where = whereOf(title, index);
  if (path === undefined) return [{ where, why: whyPutAway.deleted }];
  const builder = createItemBuilder("login");
  builder.title = title;
  builder.tag(path.join("/"));
  for (const tag of textIn(entry, "Tags").split(/[;,]/)) builder.tag(tag);
  const oneTime = oneTimeCodeIn(strings);
  builder.add("one_time_code", oneTime?.value ?? "");
  for (const [key, { text, isHidden }] of strings) {
    const field = known.get(key) ?? (/^KP2A_URL(?:_\d+)?$/.test(key) ? "website" : undefined);
    if (key === "Title" || oneTime?.keys.includes(key)) continue;
    if (field !== undefined) builder.add(field, text);
    else builder.addOther(key, isHidden || /otp|passkey/i.test(key) ? "secret" : "text", text);
  }
  const history = childrenOf(childOf(entry, "History"), "Entry").map((old) => {
    const day = textIn(childOf(old, "Times"), "LastModificationTime").slice(0, 10);
    return [stringsIn(old).get("Password")?.text ?? "", day] as const;
  });
  // Every change of an entry is there, also those that kept the password.
  for (const [password, day] of new Map(history)) {
    if (password !== strings.get("Password")?.text) addOldPassword(builder, password, day);
  }
  const attached = childrenOf(entry, "Binary").flatMap((binary) =>
    attachFile(builder, undefined, { where, fileName: textIn(binary, "Key") }),
  );
  return [builder.build(where), ...attached];
}

type Strings = ReadonlyMap<string, { readonly text: string; readonly isHidden: boolean }>;

function stringsIn(entry: XmlElement): Strings {
  return new Map(
    childrenOf(entry, "String").map((string) => {
      const value = childOf(string, "Value");
      const isHidden = [...(value?.attributes.values() ?? [])].some((each) => /^true$/i.test(each));
      return [textIn(string, "Key"), { text: value?.text ?? "", isHidden }];
    }),
  );
}

interface OneTimeCode {
  readonly value: string;
  /** The strings that it was made of. */
  readonly keys: readonly string[];
}

/** Returns the one-time code of an entry as KeePassXC, KeePass, and the plugins KeeOtp and TrayTOTP store it. */
function oneTimeCodeIn(strings: Strings): OneTimeCode | undefined {
  const valueIn = (key: string) => strings.get(key)?.text ?? "";
  const otp = valueIn("otp");
  const { key = "", size = "", step = "", ...others } = Object.fromEntries(new URLSearchParams(otp));
  const names = ["Secret-Base32", "Period", "Length", "Algorithm"].map((name) => `TimeOtp-${name}`);
  const [secret = "", period = "", digits = "", hash = ""] = names.map(valueIn);
  const algorithm = hash.replace("HMAC-", "").replaceAll("-", "");
  const seed = valueIn("TOTP Seed");
  const [seconds = "", length = ""] = valueIn("TOTP Settings").split(";");
  const ofTray =
    seed !== "" && length === "S"
      ? `steam://${seed}`
      : oneTimeUri("totp", { secret: seed, period: seconds, digits: length });
  const counter = { secret: valueIn("HmacOtp-Secret-Base32"), counter: valueIn("HmacOtp-Counter") };
  const forms: readonly OneTimeCode[] = [
    { value: otp, keys: ["otp"] },
    // What else KeeOtp writes says that the secret is another one.
    {
      value: Object.keys(others).length > 0 ? "" : oneTimeUri("totp", { secret: key, digits: size, period: step }),
      keys: ["otp"],
    },
    { value: oneTimeUri("totp", { secret, period, digits, algorithm }), keys: names },
    { value: ofTray, keys: ["TOTP Seed", "TOTP Settings"] },
    { value: oneTimeUri("hotp", counter), keys: ["HmacOtp-Secret-Base32", "HmacOtp-Counter"] },
  ];
  // One of which no code can be computed is listed.
  return forms.find(({ value }) => parseOneTimeSecret(value)) ?? forms.find(({ value }) => value !== "");
}

/** Returns a one-time secret as a URI. Empty if there is none. */
function oneTimeUri(type: string, parameters: Readonly<Record<string, string> & { secret: string }>): string {
  const set = Object.entries(parameters).filter(([, each]) => each !== "");
  return parameters.secret === "" ? "" : `otpauth://${type}/?${new URLSearchParams(set)}`;
}

function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return childrenOf(element, name)[0];
}

function textIn(element: XmlElement | undefined, name: string): string {
  return childOf(element, name)?.text ?? "";
}
