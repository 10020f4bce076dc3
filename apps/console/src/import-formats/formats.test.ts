import { writeContent } from "@platform-rpc/items/item-content";
import { writeVaultFile } from "@platform-rpc/items/vault-file";
import { strToU8, zipSync } from "fflate";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import type { ImportedItem } from "./format.js";
import { readImport } from "./read-import.js";
import { withPbkdf2 } from "./testing/encrypted-bitwarden.js";

const filePassword = "correct horse";

/** What every program stores of a login. */
interface Login {
  readonly title: string;
  readonly username: string;
  readonly password: string;
  readonly website: string;
  readonly notes: string;
}

type Write = (logins: readonly Login[]) => string | Uint8Array | Promise<string | Uint8Array>;

const table =
  (header: string, cellsOf: (login: Login) => readonly string[], newline = "\n"): Write =>
  (logins) =>
    `${Papa.unparse([header.split(","), ...logins.map(cellsOf)], { quotes: true, newline })}${newline}`;

const bitwardenJson = (logins: readonly Login[]) =>
  JSON.stringify({
    encrypted: false,
    folders: [],
    items: logins.map(({ title: name, username, password, website, notes }) => {
      return {
        type: 1,
        name,
        notes,
        favorite: false,
        login: { username, password, uris: [{ match: null, uri: website }] },
      };
    }),
  });

const onePux = (logins: readonly Login[]) => {
  const items = logins.map(({ title, username, password, website: url, notes }) => ({
    categoryUuid: "001",
    state: "active",
    overview: { title, url, urls: [{ label: "", url }] },
    details: {
      loginFields: [
        { value: username, name: "username", fieldType: "T", designation: "username" },
        { value: password, name: "password", fieldType: "P", designation: "password" },
      ],
      notesPlain: notes,
      sections: [],
    },
  }));
  const data = JSON.stringify({ accounts: [{ vaults: [{ attrs: { name: "Personal" }, items }] }] });
  return zipSync({ "export.attributes": strToU8('{"version":3}'), "export.data": strToU8(data) }, { level: 1 });
};

const ownFile = (logins: readonly Login[]) =>
  writeVaultFile(
    logins.map(({ title, username, password, website, notes }) => {
      const fields = [
        { name: "username", type: "text", value: username },
        { name: "password", type: "secret", value: password },
        { name: "website", type: "url", value: website },
        { name: "notes", type: "note", value: notes },
      ] as const;
      return { kind: "login", vault: "Personal", content: writeContent({ title, fields }) };
    }),
    filePassword,
  );

/** The files that programs write, two of them tables, with what they store of a login. Firefox has neither titles nor notes. */
const formats: readonly { readonly name: string; readonly write: Write; readonly lacks?: readonly (keyof Login)[] }[] =
  [
    {
      name: "Chrome",
      write: table("name,url,username,password,note", (login) => [
        login.title,
        login.website,
        login.username,
        login.password,
        login.notes,
      ]),
    },
    {
      name: "Firefox",
      write: table(
        "url,username,password,httpRealm,formActionOrigin,guid,timeCreated,timeLastUsed,timePasswordChanged",
        ({ website, username, password }) => [website, username, password, "", "", "{1}", "1", "2", "3"],
        "\r\n",
      ),
      lacks: ["title", "notes"],
    },
    { name: "Bitwarden JSON", write: bitwardenJson },
    {
      name: "Bitwarden JSON with a password",
      write: async (logins) => JSON.stringify(await withPbkdf2(bitwardenJson(logins), filePassword)),
    },
    { name: "1PUX", write: onePux },
    { name: "the encrypted file of the vault", write: ownFile },
  ];

const bytesOf = (file: string | Uint8Array) => Uint8Array.from(typeof file === "string" ? strToU8(file) : file);

function loginOf({ content }: ImportedItem): Login {
  const fieldOf = (name: string) => content.fields.find((field) => field.name === name)?.value ?? "";
  const [username, password, website, notes] = ["username", "password", "website", "notes"].map(fieldOf);
  return {
    title: content.title,
    username: username ?? "",
    password: password ?? "",
    website: website ?? "",
    notes: notes ?? "",
  };
}

const plain = (index: number): Login => ({
  title: `Mail ${index}`,
  username: "ada",
  password: `secret-${index}`,
  website: `https://mail-${index}.example.com`,
  notes: "First",
});

/** What breaks programs that split texts at commas and line breaks. */
const hard: readonly Login[] = [
  { ...plain(1), title: 'The "best", mail; of 🗝️ 👩‍👩‍👧 all', notes: "line 1\nline 2\r\n\r\nline 4\t\n" },
  { ...plain(2), username: "=1+1", password: '"' },
  { ...plain(3), password: '","', notes: "'\\\"\\n,;\t|" },
  { ...plain(4), title: "بريد", password: " spaces and \u00a0 \u200b stay ", notes: "\ud83d\ude00" },
  { ...plain(5), password: "{}[]<>&&#x22;", notes: "\u2028é e\u0301" },
];

describe.each(formats)("a file of $name", ({ write, lacks = [] }) => {
  const read = async (file: string | Uint8Array) => readImport(bytesOf(file), { password: filePassword });
  const without = (login: Login) => ({ ...login, ...Object.fromEntries(lacks.map((name) => [name, undefined])) });

  it("is read to the last character: quotation marks, line breaks, commas, emoji", async () => {
    const result = await read(await write(hard));
    if (result.outcome === "failed") throw new Error(result.message);
    expect(result.items.map(loginOf).map(without)).toEqual(hard.map(without));
    expect(result.skipped).toEqual([]);
  });

  it("that is cut off anywhere is rejected with a reason, or has whole items, or lists the one that is not", async () => {
    const logins = [...hard.slice(0, 2), plain(6)];
    const bytes = bytesOf(await write(logins));
    // Nobody can see that the last cell of a table is missing.
    const whole = [...logins, ...logins.map((login) => ({ ...login, notes: "" }))];
    const complete = new Set(whole.map((login) => JSON.stringify(without(login))));
    for (let end = 0; end < bytes.length; end += 1) {
      const result = await read(bytes.subarray(0, end));
      if (result.outcome === "failed") expect(result.message).toMatch(/^[A-Z].*\.$/s);
      else {
        const broken = result.items
          .map(loginOf)
          .map(without)
          .filter((login) => !complete.has(JSON.stringify(login)));
        expect(broken.length, `cut after ${end} bytes`).toBeLessThanOrEqual(result.skipped.length);
      }
    }
  });
});
