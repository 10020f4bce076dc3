import * as fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { isHeader } from "./csv-columns.js";
import type { ReadOptions } from "./format.js";
import { parseTable } from "./parse-table.js";
import { readImport } from "./read-import.js";

async function read(file: string | Uint8Array, options?: ReadOptions) {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : Uint8Array.from(file);
  const result = await readImport(bytes, options);
  if (result.outcome === "failed") throw new Error(result.message);
  return result;
}

/** Returns an item as lines: its kind and title, then its fields. */
async function linesOf(file: string | Uint8Array, options?: ReadOptions) {
  const { items } = await read(file, options);
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
      "Bitwarden with fields of several lines, and a folder with a comma",
      'folder,type,name,fields,archivedDate\n"Bills, Taxes",login,Deploy,"Key: -----BEGIN KEY-----\nProc-Type: 4\n-----END KEY-----\nPIN: 12: 34\nPIN: 5\nCodes: 1\n2: 3",\n,login,Old,,2026-01-01',
      [
        "login Deploy #Bills, Taxes",
        "Key (secret) -----BEGIN KEY-----\nProc-Type: 4\n-----END KEY-----",
        "PIN (secret) 12: 34",
        "PIN (secret) 5",
        "Codes (secret) 1\n2: 3",
      ],
    ],
    [
      "LastPass",
      'url,username,password,totp,extra,name,grouping,fav\nhttp://sn,,,,"NoteType:Credit Card\nName on Card:Ada\nNumber:4111\nSecurity Code:123\nStart Date:,\nExpiration Date:June,2031\nNotes:keep\nthis: too",Visa,Work\\Cards,0',
      [
        "card Visa #Work\\Cards",
        "cardholder (text) Ada",
        "number (secret) 4111",
        "expires (month) 2031-06",
        "security_code (secret) 123",
        "notes (note) keep\nthis: too",
      ],
    ],
    [
      "LastPass, with a key",
      'url,username,password,extra,name\nhttp://sn,,,"NoteType:SSH Key\nPassphrase:open\nPrivate Key:-----BEGIN K-----\nA: A\n-----END K-----\nPublic Key:ssh-rsa AA\nNotes:",Key',
      [
        "ssh_key Key",
        "public_key (text) ssh-rsa AA",
        "private_key (secret) -----BEGIN K-----\nA: A\n-----END K-----",
        "Passphrase (secret) open",
      ],
    ],
    [
      "KeePass 1, which writes backslashes before quotation marks and backslashes",
      '"Account","Login Name","Password","Web Site","Comments"\r\n"Server","ada","x\\"y\\\\","",""\r\n',
      ["login Server", "username (text) ada", 'password (secret) x"y\\'],
    ],
    [
      "Proton Pass",
      'type,name,url,email,username,password,note\nlogin,Mail,,ada@example.com,ada,p,\ncreditCard,Visa,,,,,"{""number"":""4111"",""verificationNumber"":""123"",""expirationDate"":""2031-06"",""pin"":""9876"",""note"":""keep""}"\nalias,Shop,,x@alias.example,,,',
      ["login Mail", "username (text) ada", "password (secret) p", "email (email) ada@example.com"],
      [
        "card Visa",
        "number (secret) 4111",
        "expires (month) 2031-06",
        "security_code (secret) 123",
        "pin (secret) 9876",
        "notes (note) keep",
      ],
      ["login Shop", "username (text) x@alias.example", "Kind (text) alias"],
    ],
    [
      "Enpass",
      '"Title","Field","Value","Field","Value",.........,"Note"\n"Forum","Username","ada","*Password","pw","*Hint","tea","One-time code","GEZDGNBV",""\n"Only note","text"\n',
      [
        "login Forum",
        "username (text) ada",
        "password (secret) pw",
        "one_time_code (totp) GEZDGNBV",
        "Hint (secret) tea",
      ],
      ["secure_note Only note", "notes (note) text"],
    ],
    [
      "Enpass, without a header",
      '"Only note","text"\n"Forum","Username","ada","*Password","  ","note"\n',
      ["secure_note Only note", "notes (note) text"],
      ["login Forum", "username (text) ada", "password (secret)   ", "notes (note) note"],
    ],
    [
      "RoboForm",
      'Name,Url,MatchUrl,Login,Pwd,Folder,RfFieldsV2\nShop,https://s.example,https://s.example,cy,p,/Home,"User ID$,,,txt,cy","Password$,,,pwd,p","TwoFA Key$,,,txt,otpauth://totp/x?secret=GEZDGNBV","Hint$,,,txt,tea"',
      [
        "login Shop #/Home",
        "username (text) cy",
        "password (secret) p",
        "website (url) https://s.example",
        "one_time_code (totp) otpauth://totp/x?secret=GEZDGNBV",
        "Hint (secret) tea",
      ],
    ],
    [
      "Keeper, with a header and more cells than it",
      "Folder,Title,Login,Password,Website Address,Notes,Shared Folder,Custom Fields\nWork,Mail,ada,p,,,,PIN,1234",
      [
        "login Mail #Work",
        ...["username (text) ada", "password (secret) p", "Custom Fields (secret) PIN", "Custom Fields (secret) 1234"],
      ],
    ],
    [
      "an app for one-time codes, which writes them as websites, and a folder that has a password",
      "name,url,password,type\nMail,otpauth://totp/x?secret=GEZDGNBV,,\nLocker,,p,Folder\nWork,,,Folder",
      ["login Mail", "one_time_code (totp) otpauth://totp/x?secret=GEZDGNBV"],
      ["login Locker", "password (secret) p", "Kind (text) Folder"],
    ],
    [
      "Dashlane, its payments",
      "type,account_name,account_holder,cc_number,code,expiration_month,expiration_year,account_number,name\npayment_card,Ada,,4111,123,06,2031,,Visa\nbank,Savings,Ada,,,,,0012,",
      [
        "card Visa",
        "cardholder (text) Ada",
        "number (secret) 4111",
        "expires (month) 2031-06",
        "security_code (secret) 123",
      ],
      ["secure_note Savings", "Kind (text) bank", "account_holder (text) Ada", "account_number (secret) 0012"],
    ],
    [
      "Excel, with cards whose months it wrote in its own way",
      "name,cardnumber,cvv,expiry\nA,4111,123,Jun-31\nB,4111,123,2031/06/30\nC,4111,123,30.06.2031",
      ...["A", "B"].map((title) => [
        `card ${title}`,
        ...["number (secret) 4111", "expires (month) 2031-06", "security_code (secret) 123"],
      ]),
      ["card C", "number (secret) 4111", "security_code (secret) 123", "expiry (text) 30.06.2031"],
    ],
    [
      "Zoho",
      "Password Name,Password URL,SecretData,Folder Name\nMail,https://m.example,Password:p,Work",
      ["login Mail #Work", "website (url) https://m.example", "SecretData (secret) Password:p"],
    ],
    ["Dashlane, its notes", 'title,note\nWifi,"a\nb"', ["secure_note Wifi", "notes (note) a\nb"]],
    [
      "a program with fields as JSON, and several websites and usernames",
      '"label","username","username2","password","tags","URL1","url2","custom_fields"\n"Mail","ada","bo","s","[""a, b"",""c""]","https://m.example","https://n.example","[{""label"":""k"",""value"":""v""}]"',
      [
        "login Mail #a, b #c",
        "username (text) ada",
        "password (secret) s",
        "website (url) https://m.example",
        "website (url) https://n.example",
        "username2 (text) bo",
        "k (secret) v",
      ],
    ],
    [
      "Excel, in German, with a column that is not known",
      "\uFEFFTitel;Adresse;Benutzername;Kennwort;Bemerkung;Losung\r\nBank;https://b.example;ada;geheim;für;xyzzy\r\n",
      [
        "login Bank",
        "username (text) ada",
        "password (secret) geheim",
        "website (url) https://b.example",
        "notes (note) für",
        "Losung (secret) xyzzy",
      ],
    ],
    [
      "a key in notes",
      'name,password,note\nHost,p,"-----BEGIN K-----\nA"',
      ["login Host", "password (secret) p", "note (secret) -----BEGIN K-----\nA"],
    ],
  ])("of %s are read", async (_, text, ...expected) => {
    expect(await linesOf(text)).toEqual(expected);
  });

  it.each([
    "título,nombre de usuario,contraseña,sitio web",
    "titre,nom d’utilisateur,mot de passe,site web",
    "titolo,nome utente,password,sito web",
    "título,nome de usuário,senha,site",
    "titel,gebruikersnaam,wachtwoord,website",
    "Tytuł,Nazwa użytkownika,Hasło,Strona internetowa",
    "название,имя пользователя,пароль,веб-сайт",
    "タイトル,ユーザー名,パスワード,ウェブサイト",
    "标题,用户名,密码,网址",
    "name,UserID,MasterPassword,URL1",
  ])("with the header %s are read", async (header) => {
    const { columns } = await read(`${header}\nMail,ada,p,https://m.example`);
    expect(columns?.meanings).toEqual(["title", "username", "password", "website"]);
  });

  const rows = "name;url;username;password\r\nBänk;https://b.example;ada;pw\r\n";
  const utf16 = (littleEndian: boolean, text: string) => {
    const view = new DataView(new ArrayBuffer(text.length * 2));
    for (let index = 0; index < text.length; index += 1)
      view.setUint16(index * 2, text.charCodeAt(index), littleEndian);
    return new Uint8Array(view.buffer);
  };
  const latin1 = Uint8Array.from(rows, (character) => character.charCodeAt(0));

  it.each<[string, string | Uint8Array, ReadOptions?]>([
    ["in UTF-8", rows],
    ["with a byte order mark", `\uFEFF${rows}`],
    ["in UTF-16LE", utf16(true, `\uFEFF${rows}`)],
    ["in UTF-16BE", utf16(false, `\uFEFF${rows}`)],
    ["in UTF-16LE without a byte order mark", utf16(true, rows)],
    ["in UTF-16BE without a byte order mark", utf16(false, rows)],
    ["in Windows-1252, if the person chooses it", latin1, { encoding: "windows-1252" }],
    ["with tabs", rows.replaceAll(";", "\t")],
    ["with a separator that the first line names", `sep=;\r\n${rows}`],
    ["with a separator at the end of each row", rows.replaceAll("\r\n", ";\r\n")],
    ["with a separator at the end of the rows, but not of the header", rows.replace("pw", "pw;;")],
    ["with a header that ends otherwise than the rows", rows.replace("pw\r\n", "pw\n")],
    ["with the line ends of old files", rows.replaceAll("\r\n", "\r")],
    ["with line ends that were converted twice", rows.replaceAll("\r\n", "\r\r\n")],
    ["with commas in a cell", rows.replace("pw", '"pw",').replaceAll(";", ",")],
  ])("%s are read", async (_, file, options) => {
    const expected = ["login Bänk", "username (text) ada", "password (secret) pw", "website (url) https://b.example"];
    expect(await linesOf(file, options)).toEqual([expected]);
  });

  it("without a header are items, with names that come from no cell and hidden values, until the person answers", async () => {
    const text = '"Bank","First","ada","pw-1","https://one.example"\n"Login","Second","bo","pw-2","","","x"\n';
    const { items, columns, skipped } = await read(text);
    expect([items.length, skipped.length, columns?.firstRow]).toEqual([2, 0, "unknown"]);
    const fields = items.flatMap(({ content }) => content.fields);
    expect(new Set(fields.map(({ name }) => name.replace(/\d/, "")))).toEqual(new Set(["Column "]));
    expect(new Set([...fields.map(({ type }) => type), ...(columns?.samples.flat() ?? [])])).toEqual(
      new Set(["secret", "••••••••", ""]),
    );
    expect((await read(text, { firstRow: "header" })).columns?.header[1]).toBe("First");
  });

  it.each([
    ["other rows repeat its words", "Login,Email,ada,pw\nLogin,Forum,bo,pw"],
    ["other rows have values where it has none", "Login,Email,ada,password,\nWork,Forum,bo,pw,x"],
    ["half of its words are known", "Login,Email,ada,password1\nWork,Forum,bo,pw"],
  ])("may have an item in the first row if %s", async (_, text) => {
    expect((await read(text)).columns?.firstRow).toBe("unknown");
  });

  it("are read as the person chose, and the preview masks secrets", async () => {
    const text = "a,b,c\nMail,ada,hunter2";
    const options = { meanings: ["title", "none", "password"], firstRow: "header" } as const;
    const { items, columns } = await read(text, options);
    expect(items[0]?.content).toEqual({
      title: "Mail",
      fields: [{ name: "password", type: "secret", value: "hunter2" }],
    });
    expect(columns?.samples).toEqual([["Mail", "••••••••", "••••••••"]]);
  });

  it("list a row with too many or too few cells, and an item that is too large, and say where it is", async () => {
    const text = `name,password,notes\n"Two\nlines",p,n\nMail,a,b,c\nLarge,p,${"x".repeat(40_000)}\n,p,\nCut,p`;
    const { items, skipped } = await read(text);
    expect(items.map(({ content }) => content.title)).toEqual(["Two\nlines", "Large", "Large (2)", "Login", "Cut"]);
    expect(skipped).toEqual([
      { where: "Line 4, “Mail”", why: expect.stringContaining("4 cells, and the header 3") },
      { where: "“Large”", why: expect.stringContaining("The rest is in “Large (2)”"), isPart: true },
      { where: "Line 7, “Cut”", why: expect.stringContaining("2 cells, and the header 3"), isPart: true },
    ]);
  });

  it.each([
    ["", "fewer than two lines"],
    ["name,password\n", "fewer than two lines"],
    ["only\none\ncolumn", "Line 1 is not the header of a table"],
    [`${"name,".repeat(501)}x\n${"y,".repeat(501)}y`, "It can have 500 columns"],
    ['name,password\nA,"b\nC,d', "line 2 is not closed"],
  ])("%j are rejected: %s", async (text, words) => {
    await expect(read(text)).rejects.toThrow(words);
  });

  it("with invalid bytes lose these rows, and the list names their lines", async () => {
    const bytes = new TextEncoder().encode('name,password\n"A\nB",p\n?,p\nC\0,p\nD,"p"q"\nE,p');
    const { items, skipped, columns } = await read(bytes.with(bytes.indexOf(0x3f), 0xfc));
    expect(items.map(({ content: { title, fields } }) => [title, fields[0]?.value])).toEqual([
      ["A\nB", "p"],
      ["D", 'p"q'],
      ["E", "p"],
    ]);
    expect(skipped).toEqual([
      { where: "Line 4, “\uFFFD”", why: expect.stringContaining("not valid in this encoding") },
      { where: expect.stringContaining("Line 5"), why: expect.stringContaining("NUL") },
      { where: "Line 6, “D”", why: expect.stringContaining("quotation mark"), isPart: true },
    ]);
    expect(columns?.encoding).toBe("utf-8");
  });

  it("are not read from a binary file or from broken JSON", async () => {
    const picture = Uint8Array.from({ length: 3_000 }, (_, index) => (index * 7) % 256);
    const json = new TextEncoder().encode('{"items":[\n{"name":"?"}]}');
    for (const file of [picture, json.with(json.indexOf(0x3f), 0xfc)]) {
      await expect(read(file)).rejects.toThrow(/no text in UTF-8: line \d/);
    }
  });

  it("that papaparse writes are read with the same cells", () => {
    const hard = fc.constantFrom("", '"', '"","', "\\", '\\"', "a\r\nb", "x\n", " y ", ";;", ",", "\t", "|");
    const cell = fc.oneof(fc.string({ unit: "grapheme" }), hard).map((text) => text.replaceAll("\uFEFF", ""));
    const names = ["name", "url", "username", "password", "notes", "folder"];
    const table = fc
      .integer({ min: 2, max: 6 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
    const dialect = fc.record({
      delimiter: fc.constantFrom(",", ";", "\t", "|"),
      newline: fc.constantFrom("\n", "\r\n", "\r"),
      quotes: fc.boolean(),
    });
    fc.assert(
      fc.property(table, dialect, (cells, written) => {
        const filled = cells.map(([, ...others]) => ["x", ...others]);
        const all = [names.slice(0, filled[0]?.length), ...filled];
        expect(parseTable(Papa.unparse(all, written), isHeader).map((row) => row.cells)).toEqual(all);
      }),
    );
  });
});
