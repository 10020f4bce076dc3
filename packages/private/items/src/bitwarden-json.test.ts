import fc from "fast-check";
import { expect, it } from "vitest";
import { omittedFiles, writeBitwardenJson } from "./bitwarden-json.js";
import type { ContentField, FieldType, ItemContent } from "./item-content.js";

const field = (name: string, value: string, type: FieldType = "text"): ContentField => ({ name, type, value });

/** Writes one item, and returns it as the file contains it. */
function written(kind: string, content: Partial<ItemContent>) {
  const file = JSON.parse(writeBitwardenJson([{ kind, content: { title: "One", fields: [], ...content } }]));
  return { file, item: file.items[0] };
}

it("a login has its fields in the places of Bitwarden, and its first tag as the folder", () => {
  const { file, item } = written("login", {
    title: "Mail",
    favourite: true,
    tags: ["work", "old"],
    fields: [
      field("username", "ada"),
      field("password", "secret", "secret"),
      field("website", "mail.example.com", "url"),
      field("other", "https://example.com", "url"),
      field("one_time_code", "GEZDGNBV", "totp"),
      field("notes", "a note", "note"),
    ],
  });
  expect(item).toMatchObject({
    type: 1,
    name: "Mail",
    favorite: true,
    notes: "a note",
    folderId: file.folders[0].id,
    login: {
      uris: [{ uri: "mail.example.com" }, { uri: "https://example.com" }],
      username: "ada",
      password: "secret",
      totp: "GEZDGNBV",
    },
    fields: [{ name: "Tags", value: "old", type: 0 }],
  });
  expect(file).toMatchObject({ encrypted: false, folders: [{ name: "work" }] });
});

it("passwords that were replaced are in the history, without those that are too long for it", () => {
  const passwords = ["b", "x".repeat(4_000), "a"].map((value) => ({ value, replacedAt: new Date(0) }));
  const file = JSON.parse(writeBitwardenJson([{ kind: "login", content: { title: "One", fields: [] }, passwords }]));
  const lastUsedDate = "1970-01-01T00:00:00.000Z";
  expect(file.items[0].passwordHistory).toEqual(["b", "a"].map((password) => ({ lastUsedDate, password })));
});

it.each([
  ["secure_note", [field("notes", "text", "note")], { type: 2, secureNote: { type: 0 }, notes: "text", fields: [] }],
  [
    "card",
    [field("number", "4111", "secret"), field("expires", "2030-02", "month"), field("pin", "1234", "secret")],
    {
      type: 3,
      card: { number: "4111", expMonth: "2", expYear: "2030" },
      fields: [{ name: "pin", value: "1234", type: 1 }],
    },
  ],
  [
    "card",
    [field("expires", "soon", "month")],
    { card: { expMonth: null, expYear: null }, fields: [{ name: "expires", value: "soon" }] },
  ],
  [
    "identity",
    [field("first_name", "Ada"), field("address", "1 Road\nLondon\nN1\nUK", "note"), field("birthday", "1815-12-10")],
    {
      type: 4,
      identity: { firstName: "Ada", address1: "1 Road", address2: "London", address3: "N1, UK" },
      fields: [{ name: "birthday", value: "1815-12-10", type: 0 }],
    },
  ],
  [
    "ssh_key",
    [
      field("public_key", "ssh-ed25519 A"),
      field("private_key", "-----BEGIN", "secret"),
      field("fingerprint", "SHA256:x"),
    ],
    { type: 5, sshKey: { privateKey: "-----BEGIN", publicKey: "ssh-ed25519 A", keyFingerprint: "SHA256:x" } },
  ],
  [
    "ssh_key",
    [field("private_key", "-----BEGIN", "secret"), field("fingerprint", "SHA256:x")],
    { type: 2, fields: [{ value: "SSH key" }, { name: "private_key", type: 1 }, { name: "fingerprint" }] },
  ],
  [
    "api_key",
    [field("key", "sk", "secret"), field("host", "api.example.com")],
    {
      type: 2,
      fields: [
        { name: "Kind", value: "API key" },
        { name: "key", value: "sk", type: 1 },
        { name: "host", value: "api.example.com", type: 0 },
      ],
    },
  ],
])("%s has its fields in the places of Bitwarden: %j", (kind, fields, expected) => {
  expect(written(kind, { fields }).item).toMatchObject(expected);
});

it("long texts go to the notes, what other programs added becomes hidden fields, and nothing but files is lost", () => {
  const { item, file } = written("login", {
    fields: [
      field("remark", "one\ntwo", "note"),
      field("password", "a", "secret"),
      field("password", "b", "secret"),
      { name: "photo", type: "file", value: "AAAA", fileName: "me.png" },
    ],
    others: { color: { red: 1 } },
  });
  expect(item.notes).toBe("remark:\none\ntwo");
  expect(item.fields).toMatchObject([
    { name: "password", value: "b", type: 1 },
    { name: "color", value: '{"red":1}', type: 1 },
  ]);
  expect(JSON.stringify(file)).not.toContain("AAAA");
});

/** Returns every text of an item with its place. */
const textsIn = (value: unknown, place = ""): readonly (readonly [string, string])[] =>
  typeof value === "string"
    ? [[place, value]]
    : Object.entries(value ?? {}).flatMap(([name, each]) => textsIn(each, `${place}.${name}`));

/** What a text is long when Bitwarden has encrypted it: `2.`, initialization vector, blocks of 16 bytes, and code, in base64. */
const encryptedLength = (text: string) => 72 + Math.ceil(((Math.floor(Buffer.byteLength(text) / 16) + 1) * 16) / 3) * 4;
const longest = (place: string) =>
  /notes|uri/.test(place) ? 10_000 : /value|password|rivateKey|ublicKey/.test(place) ? 5_000 : 1_000;

it("a text that is too long for Bitwarden is divided, or gets another place, and nothing of it is lost", () => {
  const names = [
    "username",
    "password",
    "website",
    "one_time_code",
    "notes",
    "private_key",
    "public_key",
    "fingerprint",
  ];
  const types = { password: "secret", website: "url", one_time_code: "totp", notes: "note" } as const;
  const typeOf = (name: string): FieldType => Object.entries(types).find(([each]) => each === name)?.[1] ?? "text";
  const kinds = fc.constantFrom("login", "ssh_key", "secure_note", "card");
  const lengths = fc.oneof(fc.nat(4_000), fc.constantFrom(687, 688, 3_695, 3_696, 7_439, 7_440));
  const fields = fc.array(fc.tuple(fc.constantFrom(...names), lengths, fc.constantFrom("x", "é", "a\n")));
  fc.assert(
    fc.property(kinds, fc.string({ maxLength: 500, unit: "grapheme" }), fields, (kind, title, listed) => {
      const content = listed.map(([name, length, part]) => field(name, part.repeat(length), typeOf(name)));
      const texts = textsIn(written(kind, { title, fields: content }).item);
      for (const [place, text] of texts) expect(encryptedLength(text), place).toBeLessThanOrEqual(longest(place));
      const count = (all: readonly string[]) => all.join("").replaceAll(/[^xé\n]/g, "").length;
      expect(count(texts.map(([, text]) => text))).toBeGreaterThanOrEqual(count(content.map(({ value }) => value)));
    }),
    { numRuns: 30 },
  );
});

it("files are listed with their items", () => {
  const fields: readonly ContentField[] = [{ name: "file", type: "file", value: "AAAA", fileName: "a.txt" }];
  const items = [{ kind: "file", content: { title: "Greeting", fields } }];
  expect(omittedFiles(items)).toEqual([{ title: "Greeting", fileName: "a.txt" }]);
});
