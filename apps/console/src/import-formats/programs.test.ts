import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { readImport } from "./read-import.js";

/** Reads a file, and returns each item as lines, and what is skipped. */
async function read(file: string | Uint8Array | object) {
  const text = typeof file === "object" && !(file instanceof Uint8Array) ? JSON.stringify(file) : file;
  const result = await readImport(Uint8Array.from(typeof text === "string" ? strToU8(text) : text));
  if (result.outcome === "failed") return { failed: result.message };
  const items = result.items.map(({ kind, content: { title, tags = [], favourite, fields } }) => [
    [kind, title, ...tags.map((tag) => `#${tag}`), ...(favourite ? ["*"] : [])].join(" "),
    ...fields.map(({ name, type, value, fileName }) => `${name} (${type}) ${fileName ?? value}`),
  ]);
  return { items, skipped: result.skipped.map(({ where, why }) => `${where} ${why.slice(0, 22)}`) };
}

const bitwarden = (...items: readonly object[]) => ({ encrypted: false, folders: [], items });
const login = { username: "a", password: "p1" };

const proton = (...data: readonly object[]) => ({
  version: "1.30.0",
  encrypted: false,
  vaults: { v1: { name: "Personal", items: data.map((each) => ({ state: 1, ...each })) } },
});
const protonItem = (type: string, content: object, extraFields: readonly object[] = []) => ({
  data: { metadata: { name: "Mail", note: "n" }, type, content, extraFields },
});

const enpass = (item: object, ...fields: readonly object[]) => ({
  folders: [{ uuid: "t1", title: "Social" }],
  items: [
    { title: "Forum", category: "login", favorite: 1, archived: 0, trashed: 0, folders: ["t1"], fields, ...item },
  ],
});
const enpassField = (label: string, type: string, value: string, sensitive = 0) => ({ label, type, value, sensitive });

const keePassString = (key: string, value: string, attributes = "") =>
  `<String><Key>${key}</Key><Value${attributes}>${value}</Value></String>`;
const keePass = (entries: string, before = "") =>
  `<?xml version="1.0" encoding="utf-8"?>\n${before}<KeePassFile><Meta><RecycleBinUUID>bin</RecycleBinUUID></Meta><Root>
  <Group><UUID>1</UUID><Name>Database</Name>${entries}</Group></Root></KeePassFile>`;

describe("a file of another program has every secret once, hidden, and lists what is not read", () => {
  it.each<readonly [string, object | string | Uint8Array, readonly (readonly string[])[], readonly string[]]>([
    [
      "Bitwarden: archived and deleted items",
      bitwarden(
        { type: 1, name: "Live", archivedDate: null, deletedDate: null, login },
        { type: 1, name: "Away", archivedDate: "2026-03-01T10:00:00.000Z", login },
        { type: 1, name: "Binned", deletedDate: "2026-03-01T10:00:00.000Z", login },
      ),
      [["login Live", "username (text) a", "password (secret) p1"]],
      ["“Away” The item is archived. ", "“Binned” The item is in the tra"],
    ],
    [
      "Bitwarden: a key and a one-time secret in fields that it shows, and a field of an unknown type",
      bitwarden({
        ...{ type: 1, name: "M", login },
        fields: [
          { name: "K", value: "-----BEGIN K-----\nA", type: 0 },
          { name: "P", value: "-----BEGIN PUBLIC KEY-----\nA", type: 0 },
          { name: "T", value: "otpauth://totp/A?secret=GEZDGNBV", type: 0 },
          { name: "N", value: { x: 1 }, type: 9 },
        ],
      }),
      [
        [
          ...["login M", "username (text) a", "password (secret) p1", "K (secret) -----BEGIN K-----\nA"],
          ...["P (note) -----BEGIN PUBLIC KEY-----\nA", "T (secret) otpauth://totp/A?secret=GEZDGNBV"],
          'N (secret) {"x":1}',
        ],
      ],
      [],
    ],
    [
      "Bitwarden: newer types",
      bitwarden(
        {
          ...{ type: 6, name: "Account", notes: "branch", fields: [{ name: "T", value: "t-pin", type: 1 }] },
          bankAccount: { bankName: "Bank", accountType: "checking", iban: "XX00", pin: "4321", branchNumber: null },
        },
        {
          type: 8,
          name: "Travel",
          passport: { surname: "L", passportNumber: "P-9", visas: ["V"] },
          permissions: { a: 1 },
        },
        { type: 9, name: "Later", notes: "n", later: null },
        { type: 99, name: "Empty" },
      ),
      [
        [
          "secure_note Account",
          ...["notes (note) branch", "Bank name (text) Bank", "Account type (text) checking", "Iban (secret) XX00"],
          ...["Pin (secret) 4321", "T (secret) t-pin"],
        ],
        ["secure_note Travel", "Surname (text) L", "Passport number (secret) P-9", 'Visas (secret) ["V"]'],
        ["secure_note Later", "notes (note) n"],
      ],
      ["“Empty” Items of type 99 are n"],
    ],
    [
      "Bitwarden: a regular expression is not a website, and unknown members of a login are hidden",
      bitwarden({ type: 1, name: "M", login: { ...login, toString: "x", uris: [{ uri: "^a.*", match: 4 }] } }),
      [
        [
          "login M",
          ...["username (text) a", "password (secret) p1", "Website match (text) ^a.*: regular expression"],
          "To string (secret) x",
        ],
      ],
      [],
    ],
    [
      "Bitwarden: the zip file with attachments",
      zipSync({
        "data.json": strToU8(JSON.stringify(bitwarden({ id: "i1", type: 1, name: "M", login }))),
        "attachments/i1/a.txt": strToU8("A"),
        "attachments/i1/large.bin": new Uint8Array(50_000),
      }),
      [["login M", "username (text) a", "password (secret) p1", "file (file) a.txt"]],
      ["“M” Its file “large.bin” i"],
    ],
    [
      "Bitwarden: one-time codes of which no code can be computed",
      bitwarden(
        { type: 1, name: "S", login: { totp: "steam://GEZDGNBVGY3TQOJQ" } },
        { type: 1, name: "C", login: { totp: "otpauth://hotp/A?secret=GEZDGNBVGY3TQOJQ&counter=3" } },
      ),
      [
        ["login S", "one_time_code (totp) steam://GEZDGNBVGY3TQOJQ"],
        ["login C", "one_time_code (totp) otpauth://hotp/A?secret=GEZDGNBVGY3TQOJQ&counter=3"],
      ],
      ["“C” No code can be compute"],
    ],
    [
      "Proton Pass: a login whose email is its username",
      proton({
        ...protonItem("login", {
          itemEmail: "a@example.com",
          password: "p1",
          urls: ["https://a.example"],
          passkeys: [{}],
        }),
        pinned: true,
      }),
      [
        [
          "login Mail #Personal *",
          ...["username (text) a@example.com", "password (secret) p1", "website (url) https://a.example"],
          "notes (note) n",
        ],
      ],
      ["“Mail” Its passkey stays in P"],
    ],
    [
      "Proton Pass: the zip file with a card, a key, an identity, an alias and fields of all types",
      zipSync({
        "Proton Pass/data.json": strToU8(
          JSON.stringify(
            proton(
              protonItem("creditCard", {
                cardholderName: "A",
                number: "4111",
                verificationNumber: "123",
                pin: "9",
                expirationDate: "2031-06",
              }),
              protonItem("sshKey", { privateKey: "PRIVATE", publicKey: "ssh-ed25519 A" }),
              protonItem("identity", {
                firstName: "A",
                socialSecurityNumber: "12",
                birthdate: "1815-12-10",
                city: "London",
                extraSections: [
                  {
                    sectionName: "Club",
                    sectionFields: [{ fieldName: "Card", type: "hidden", data: { content: "c" } }],
                  },
                ],
              }),
              { ...protonItem("alias", {}), aliasEmail: "b@example.com", files: [{ name: "a.pdf" }] },
              protonItem("wifi", { ssid: "home", password: "w" }, [
                { fieldName: "T", type: "totp", data: { totpUri: "GEZDGNBV" } },
                { fieldName: "N", type: "new", data: { x: 1 } },
              ]),
              { ...protonItem("login", {}), state: 2 },
            ),
          ),
        ),
      }),
      [
        [
          "card Mail #Personal",
          ...["cardholder (text) A", "number (secret) 4111", "expires (month) 2031-06", "security_code (secret) 123"],
          ...["pin (secret) 9", "notes (note) n"],
        ],
        ["ssh_key Mail #Personal", "public_key (text) ssh-ed25519 A", "private_key (secret) PRIVATE", "notes (note) n"],
        [
          "identity Mail #Personal",
          ...["first_name (text) A", "address (note) London", "birthday (date) 1815-12-10", "notes (note) n"],
          ...["Social security number (secret) 12", "Club: Card (secret) c"],
        ],
        ["login Mail #Personal", "username (text) b@example.com", "notes (note) n"],
        [
          "secure_note Mail #Personal",
          "notes (note) n",
          "Ssid (text) home",
          "Password (secret) w",
          "T (totp) GEZDGNBV",
          'N (secret) {"x":1}',
        ],
      ],
      ["“Mail” Its file “a.pdf” is to", "“Mail” The item is in the tra"],
    ],
    [
      "Enpass: a login with an old password, and a second one",
      enpass(
        { note: "n", attachments: [{ name: "a.pdf" }] },
        enpassField("Username", "username", "ada"),
        { ...enpassField("Password", "password", "pw-1", 1), history: [{ value: "pw-0", updated_at: 1_534_490_234 }] },
        enpassField("Website", "url", "https://f.example"),
        enpassField("More", "section", ""),
        enpassField("Other", "password", "pw-2"),
        { ...enpassField("Gone", "text", "x"), deleted: 1 },
      ),
      [
        [
          "login Forum #Social *",
          ...["username (text) ada", "password (secret) pw-1", "website (url) https://f.example", "notes (note) n"],
          ...["Password until 2018-08-17 (secret) pw-0", "More: Other (secret) pw-2"],
        ],
      ],
      ["“Forum” Its file “a.pdf” is to"],
    ],
    [
      "Enpass: a card",
      enpass(
        { category: "creditcard" },
        enpassField("Number", "ccNumber", "4111"),
        enpassField("Expiry", "ccExpiry", "06/31"),
        enpassField("Word", "ccTxnpassword", "t"),
      ),
      [["card Forum #Social *", "number (secret) 4111", "expires (month) 2031-06", "Word (secret) t"]],
      [],
    ],
    ["Enpass: an archived item", enpass({ archived: 1 }), [], ["“Forum” The item is archived. "]],
    [
      "KeePass: groups, protected values, one-time codes, history and the recycle bin",
      keePass(`<Group><UUID>2</UUID><Name>Mail &amp; more</Name><Entry><Tags>work;old</Tags>
        ${keePassString("Title", "Mail")}${keePassString("UserName", "ada")}
        ${keePassString("Password", "a&lt;b&#x22;", ' ProtectInMemory="True"')}${keePassString("URL", "https://a.example")}
        ${keePassString("Notes", "<![CDATA[1 < 2]]>")}${keePassString("PIN", "9", " ProtectInMemory='True'")}
        ${keePassString("TimeOtp-Secret-Base32", "GEZDGNBV")}${keePassString("TimeOtp-Length", "8")}
        ${keePassString("TOTP Seed", "AAAA")}${keePassString("Hint", "green")}
        <Binary><Key>a.pdf</Key><Value Ref="0"/></Binary>
        <History><Entry>${keePassString("Password", "old")}</Entry><Entry><Times><LastModificationTime>2024-01-02T03:04:05Z</LastModificationTime></Times>
        ${keePassString("Password", "old")}</Entry></History></Entry></Group>
        <Group><UUID>bin</UUID><Name>Bin</Name><Entry>${keePassString("Title", "Gone")}</Entry></Group>`),
      [
        [
          "login Mail #Mail & more #work #old",
          ...["username (text) ada", 'password (secret) a<b"', "website (url) https://a.example"],
          ...["one_time_code (totp) otpauth://totp/?secret=GEZDGNBV&digits=8", "notes (note) 1 < 2", "PIN (secret) 9"],
          ...["TOTP Seed (secret) AAAA", "Hint (text) green", "Password until 2024-01-02 (secret) old"],
        ],
      ],
      ["“Mail” Its file “a.pdf” is to", "“Gone” The item is in the tra"],
    ],
    [
      "KeePass: the one-time codes of plugins and of counters",
      keePass(
        [
          keePassString("otp", "key=GEZDGNBV&amp;step=60&amp;size=8"),
          keePassString("otp", "key=GEZDGNBV&amp;type=Hotp&amp;counter=1"),
          keePassString("TOTP Seed", "GEZDGNBV") + keePassString("TOTP Settings", "30;6"),
          keePassString("TOTP Seed", "GEZDGNBV") + keePassString("TOTP Settings", "30;S"),
          keePassString("HmacOtp-Secret-Base32", "GEZDGNBV") + keePassString("HmacOtp-Counter", "1"),
        ]
          .map((strings) => `<Entry>${keePassString("Title", "M")}${strings}</Entry>`)
          .join(""),
      ),
      [
        ["login M", "one_time_code (totp) otpauth://totp/?secret=GEZDGNBV&digits=8&period=60"],
        ["login M", "one_time_code (totp) key=GEZDGNBV&type=Hotp&counter=1"],
        ["login M", "one_time_code (totp) otpauth://totp/?secret=GEZDGNBV&period=30&digits=6"],
        ["login M", "one_time_code (totp) steam://GEZDGNBV"],
        ["login M", "one_time_code (totp) otpauth://hotp/?secret=GEZDGNBV&counter=1"],
      ],
      ["“M” No code can be compute", "“M” No code can be compute"],
    ],
  ])("%s", async (_, file, items, skipped) => expect(await read(file)).toEqual({ items, skipped }));
});

describe("a file that is not read", () => {
  it.each<readonly [string, object | string | Uint8Array, string]>([
    ["Keeper", { shared_folders: [], records: [{ title: "A" }] }, "This is an export of Keeper: export it as CSV."],
    ["Dashlane", { AUTHENTIFIANT: [] }, "This is an export of Dashlane"],
    ["an unknown program", { items: [{ name: "A", password: "p" }] }, "no export of a program that is known here"],
    [
      "an unknown program with categories",
      { items: [{ category: "login", password: "p" }] },
      "no export of a program that is known here",
    ],
    [
      "an unknown program with vaults",
      { vaults: [{ items: [{ password: "p" }] }] },
      "no export of a program that is known here",
    ],
    ["an unknown program, a list", [{ name: "A", password: "p" }], "a program that is not known here"],
    ["RoboForm", "<!DOCTYPE html><html><table></table></html>", "RoboForm or another program, a page to print"],
    ["KeePass 1", '<?xml version="1.0"?><pwlist></pwlist>', "KeePass 1: export it as CSV"],
    ["the database of KeePass", Uint8Array.of(3, 0xd9, 0xa2, 0x9a, 0x67, 0xfb, 0x4b, 0xb5), "its encrypted database"],
    ["a database of SQLite", "SQLite format 3\0", "Enpass or another program"],
    [
      "Proton Pass with PGP",
      zipSync({ "Proton Pass/data.pgp": strToU8("-----BEGIN PGP MESSAGE-----") }),
      "without a passphrase",
    ],
    ["a workbook", zipSync({ "[Content_Types].xml": strToU8("<a/>") }), "A workbook of Excel"],
  ])("of %s is named, and what to export instead", async (_, file, words) =>
    expect(await read(file)).toEqual({ failed: expect.stringContaining(words) }),
  );

  const entities = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>';
  it.each([
    ["with entities that expand", keePass("<Entry>&b;</Entry>", entities)],
    ["with a document type", keePass("", "<!DOCTYPE KeePassFile SYSTEM 'file:///etc/passwd'>")],
    ["with an unknown entity", keePass(`<Entry>${keePassString("Title", "&nbsp;")}</Entry>`)],
    ["with a character that does not exist", keePass(`<Entry>${keePassString("Title", "&#x110000;")}</Entry>`)],
    ["with a tag that is not closed", keePass("<Entry>")],
    ["that is nested a million times", keePass("<Group>".repeat(1_000_000))],
    ["whose end is missing", keePass("").slice(0, -5)],
  ])("is an XML of KeePass %s", async (_, file) => {
    expect(await read(file)).toEqual({ failed: expect.stringContaining("The file is not complete XML") });
  });
});
