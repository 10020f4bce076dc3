import * as fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { parseTable } from "./csv.js";
import { meanings } from "./csv-columns.js";
import type { ReadOptions } from "./format.js";
import { readImport } from "./read-import.js";

async function read(text: string, options?: ReadOptions) {
  const result = await readImport(new TextEncoder().encode(text), options);
  if (result.outcome === "failed") throw new Error(result.message);
  return result;
}

/** Returns an item as lines: its kind and title, then its fields. */
async function linesOf(text: string) {
  const { items } = await read(text);
  return items.map(({ kind, content: { title, tags, favourite, fields } }) => [
    `${kind} ${title}${favourite ? " ★" : ""}${tags ? ` #${tags.join(" #")}` : ""}`,
    ...fields.map(({ name, type, value }) => `${name} (${type}) ${value}`),
  ]);
}

const login = [
  "login Mail",
  "username (text) ada@example.com",
  "password (secret) pa,ss",
  "website (url) https://mail.example.com",
];

describe("the tables of other programs", () => {
  it.each([
    [
      "Chrome",
      'name,url,username,password,note\nMail,https://mail.example.com,ada@example.com,"pa,ss",First',
      [...login, "notes (note) First"],
    ],
    [
      "Safari",
      'Title,URL,Username,Password,Notes,OTPAuth\nMail,https://mail.example.com,ada@example.com,"pa,ss",First,otpauth://totp/Mail?secret=GEZDGNBV',
      [...login, "one_time_code (totp) otpauth://totp/Mail?secret=GEZDGNBV", "notes (note) First"],
    ],
    [
      "Firefox",
      '"url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged"\n"https://mail.example.com","ada@example.com","pa,ss","Realm","https://login.example.com","{1}","1","2","3"',
      [
        "login mail.example.com",
        ...login.slice(1),
        "httpRealm (text) Realm",
        "formActionOrigin (text) https://login.example.com",
      ],
    ],
    [
      "Bitwarden",
      'folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\nWork,1,login,Mail,First,"PIN: 12: 34\nHint: tea",0,"https://mail.example.com,https://m.example.com",ada@example.com,"pa,ss",GEZDGNBV',
      [
        "login Mail ★ #Work",
        ...login.slice(1),
        "website (url) https://m.example.com",
        "one_time_code (totp) GEZDGNBV",
        "notes (note) First",
        "PIN (secret) 12: 34",
        "Hint (secret) tea",
      ],
    ],
    [
      "1Password",
      'Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\nMail,https://mail.example.com,ada@example.com,"pa,ss",,true,false,work;home,First',
      ["login Mail ★ #work #home", ...login.slice(1), "notes (note) First"],
    ],
    [
      "an unknown program, with semicolons, Windows line ends and a byte order mark",
      "\uFEFFname;benutzer;password;url\r\nMail;ada;secret;example.com\r\n",
      ["login Mail", "password (secret) secret", "website (url) example.com", "benutzer (text) ada"],
    ],
    [
      "an unknown program, with quotation marks, line breaks and emoji in cells",
      'title,password,comment\n"Safe ""A"" 🗝️",p,"line 1\nline 2"',
      ['login Safe "A" 🗝️', "password (secret) p", "notes (note) line 1\nline 2"],
    ],
  ])("of %s are read", async (_, text, expected) => {
    expect(await linesOf(text)).toEqual([expected]);
  });

  it("with 50 columns have a field for each that has no meaning", async () => {
    const header = Array.from({ length: 50 }, (_, index) => `Column ${index}`);
    const [item] = (await read(`${header.join(",")}\n${header.map((_, index) => index).join(",")}`)).items;
    expect(item?.content.fields.map(({ value }) => value)).toEqual(header.map((_, index) => String(index)));
  });

  it("are read as the person chose, and the preview masks secrets", async () => {
    const text = "a,b,c\nMail,ada,hunter2";
    const { items, columns } = await read(text, { meanings: ["title", "none", "password"] });
    expect(items[0]?.content).toEqual({
      title: "Mail",
      fields: [{ name: "password", type: "secret", value: "hunter2" }],
    });
    expect(columns?.samples).toEqual([["Mail", "ada", "••••••••"]]);
    expect(Object.keys(meanings)).toContain("none");
  });

  it("list a row with too many or too few cells, and an item that is too large, and say where it is", async () => {
    const text = `name,password,notes\n"Two\nlines",p,n\nMail,a,b,c\nLarge,p,${"x".repeat(40_000)}\n,p,\nCut,p`;
    const { items, skipped } = await read(text);
    expect(items.map(({ content }) => content.title)).toEqual(["Two\nlines", "Login", "Cut"]);
    expect(skipped).toEqual([
      { where: "Line 4, “Mail”", why: expect.stringContaining("4 cells, and the header 3") },
      { where: "“Large”", why: expect.stringContaining("too large") },
      { where: "Line 7, “Cut”", why: expect.stringContaining("2 cells, and the header 3") },
    ]);
  });

  it.each([
    ["", "fewer than two lines"],
    ["name,password\n", "fewer than two lines"],
    ["only\none\ncolumn", "Line 1 is no header"],
    ['name,password\nA,"b\nC,d', "line 2 is not closed"],
  ])("%j are rejected: %s", async (text, words) => {
    await expect(read(text)).rejects.toThrow(words);
  });

  it("in another encoding are rejected, with the line", async () => {
    const result = await readImport(Uint8Array.from([...new TextEncoder().encode("name,password\nA,"), 0xfc, 0x0a]));
    expect(result).toEqual({ outcome: "failed", needsPassword: false, message: expect.stringContaining("line 2") });
  });

  it("that papaparse writes are read with the same cells", () => {
    const cell = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\uFEFF", ""));
    const table = fc
      .integer({ min: 2, max: 6 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
    fc.assert(
      fc.property(table, fc.constantFrom(",", ";"), fc.constantFrom("\n", "\r\n"), (cells, delimiter, newline) => {
        const filled = cells.map(([, ...others]) => ["x", ...others]);
        const header = filled[0]?.map((_, index) => `Column ${index}`) ?? [];
        const text = Papa.unparse([header, ...filled], { delimiter, newline, quotes: true });
        expect(parseTable(text).rows.map((row) => row.cells)).toEqual(filled);
      }),
    );
  });
});
