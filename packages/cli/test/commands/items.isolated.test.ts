import { MemoryError } from "@platform-rpc/signed-in";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readUnlocked } from "../../src/unlocked/unlocked-vaults.js";
import { fakeUnlocked, startFakeVaults } from "../testing/fake-vaults.js";
import type { platform } from "../testing/run-program.js";

vi.mock("../../src/unlocked/unlocked-vaults.js", () => ({ readUnlocked: vi.fn() }));
beforeEach(() => void vi.mocked(readUnlocked).mockResolvedValue(fakeUnlocked));

const secret = "correct horse";
const mail = {
  title: "Example mail",
  tags: ["work"],
  fields: [
    { name: "username", type: "text", value: "ada" },
    { name: "password", type: "secret", value: secret },
    { name: "website", type: "url", value: "mail.example.com" },
    { name: "one_time_code", type: "totp", value: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" },
  ],
} as const;

async function startWithMail() {
  const vaults = await startFakeVaults();
  vaults.add("i-1", mail);
  return vaults;
}

const onTerminal = { isOutTerminal: true };
/** A program whose standard input has these bytes. */
const piped = (bytes: string | Uint8Array) => ({ readInput: async () => Buffer.from(bytes) });
/** A person who answers. */
const answering = (answer: string): Parameters<typeof platform>[2] => ({ readHidden: async () => answer });

describe("items list", () => {
  it("shows titles, user names and ids, sorted by title, without secrets", async () => {
    const { run, add } = await startWithMail();
    add("i-0", { title: "Bank", fields: [] }, { kind: "card" });
    add("forged-1", { title: "A forged one", fields: [] });
    const { code, out } = await run(["items", "list"]);
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "))).toEqual([
      "TITLE | KIND | UPDATED | ITEM",
      "A forged one | not verified | login | 2026-11-20T08:00:00.000Z | forged-1",
      "Bank | card | 2026-11-20T08:00:00.000Z | i-0",
      "Example mail | ada | login | 2026-11-20T08:00:00.000Z | i-1",
      "",
    ]);
    expect(out).not.toContain(secret);
  });

  it("--json has titles, user names and websites, and no other value", async () => {
    const { run } = await startWithMail();
    const { out } = await run(["items", "list", "--json"]);
    expect(JSON.parse(out)).toEqual({
      itemId: "i-1",
      vaultId: "v-1",
      kind: "login",
      version: 1,
      deleted: false,
      updatedAt: "2026-11-20T08:00:00.000Z",
      title: "Example mail",
      tags: ["work"],
      username: "ada",
      website: "mail.example.com",
      isVerified: true,
    });
  });

  it.each([
    ["MAIL", 1],
    ["work", 1],
    ["ada", 1],
    [secret, 0],
    ["nothing", 0],
  ])("--search %s finds %d items: secrets are not searched", async (search, count) => {
    const { run } = await startWithMail();
    const { out } = await run(["items", "list", "--json", "--search", search]);
    expect(out.split("\n").filter(Boolean)).toHaveLength(count);
  });

  const hostile = "a\u001b[2J\u009b\u202e\rb";
  it.each([
    "items list",
    "items list --json",
    "items get i-1 --reveal",
    "items get i-1 --field password",
    "items get i-1 --field file",
    "items get i-1 --field missing",
    "items copy i-1 --field missing",
    "items edit i-1 missing[7]=x",
    "complete items",
  ])("%s sends no control character or mark of direction of an item to a terminal", async (command) => {
    const { run, add } = await startFakeVaults();
    const fields = [
      { name: `n${hostile}\nWebsite   bank.example`, type: "text", value: hostile },
      { name: "password", type: "secret", value: hostile },
      { name: "file", type: "file", value: Buffer.from(hostile).toString("base64url"), fileName: hostile },
    ] as const;
    add("i-1", { title: `T${hostile}\nId   i-2`, tags: [hostile], fields });
    const { out, err } = await run(command.split(" "), onTerminal);
    const styles = ["1", "22", "2"].map((code) => `\u001b[${code}m`);
    const plain = styles.reduce((text, style) => text.replaceAll(style, ""), out + err);
    expect(plain).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e]/u);
    expect(plain).not.toMatch(/^(?:Id {3}i-2|Website {3}bank)/m);
  });

  it("shows ids while the vaults are locked, and says what shows titles", async () => {
    vi.mocked(readUnlocked).mockResolvedValue(undefined);
    const { run } = await startWithMail();
    const { out, err } = await run(["items", "list"], onTerminal);
    expect(out).toContain("i-1");
    expect(out).not.toContain("Example");
    expect(err).toContain("platform unlock");
  });
});

describe("items get", () => {
  it.each([["i-1"], ["Example mail"]])("%s shows the item, with its secrets masked", async (wanted) => {
    const { run } = await startWithMail();
    const { code, out } = await run(["items", "get", wanted]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Example mail\nUsername +ada\nPassword +••••••••\nWebsite +mail/);
    expect(out).toMatch(/One-time code +\d{6}\n/);
    expect((await run(["items", "get", wanted, "--reveal"])).out).toContain(secret);
  });

  it.each([
    ["password", `${secret}\n`],
    ["Password", `${secret}\n`],
    ["username", "ada\n"],
    ["One-time code", expect.stringMatching(/^\d{6}\n$/)],
  ])("--field %s prints only its value", async (field, out) => {
    const { run } = await startWithMail();
    expect(await run(["items", "get", "Example mail", "--field", field])).toEqual({ code: 0, out, err: "" });
  });

  it("a Steam secret gives a code of 5 characters, and a text that gives no codes is shown with --reveal", async () => {
    const { run, add } = await startFakeVaults();
    const counter = "otpauth://hotp/A?secret=GEZDGNBVGY3TQOJQ&counter=3";
    const fields = ["steam://GEZDGNBVGY3TQOJQ", counter].map(
      (value, at) => ({ name: `c${at}`, type: "totp", value }) as const,
    );
    add("i-1", { title: "Game", fields });
    const { out } = await run(["items", "get", "Game"]);
    expect(out).toMatch(/C0 +[2-9B-Y]{5}\nC1 +••••••••\n/);
    expect((await run(["items", "get", "Game", "--reveal"])).out).toContain(counter);
    expect((await run(["items", "get", "Game", "--field", "c1"])).out).toBe(`${counter}\n`);
  });

  it("--field of a file writes its bytes", async () => {
    const { run, add } = await startFakeVaults();
    const value = Buffer.from([0, 27, 255, 10]);
    add("i-1", { title: "F", fields: [{ name: "file", type: "file", value: value.toString("base64url") }] });
    const written: Uint8Array[] = [];
    await run(["items", "get", "F", "--field", "file"], { outBytes: (bytes) => written.push(bytes) });
    expect(Buffer.concat(written)).toEqual(value);
  });

  it.each([
    [{}, ["--json"], true],
    [onTerminal, ["--json"], false],
    [onTerminal, ["--json", "--reveal"], true],
  ])("in a terminal %j with %j contains secrets: %s", async (parts, words, contains) => {
    const { run } = await startWithMail();
    const { out } = await run(["items", "get", "i-1", ...words], parts);
    const { fields } = JSON.parse(out);
    expect(fields[1].value === secret).toBe(contains);
    expect(fields[1].reference).toBe("pvault://v-1/i-1/password");
  });

  it.each([
    ["Exmaple mail", 1, 'There is no item "Exmaple mail" in v-1. Did you mean "Example mail"?'],
    ["missing", 1, 'There is no item "missing" in v-1.'],
  ])("%s ends with %d: %s", async (wanted, code, message) => {
    const { run } = await startWithMail();
    expect(await run(["items", "get", wanted])).toEqual({ code, out: "", err: `${message}\n` });
  });

  it("a title of several items lists them", async () => {
    const { run, add } = await startWithMail();
    add("i-2", { ...mail, fields: [{ name: "username", type: "text", value: "bob" }] });
    const { code, err } = await run(["items", "get", "Example mail"]);
    expect(code).toBe(2);
    expect(err).toContain(
      '2 items have the title "Example mail". Specify one by its id:\n  i-1  login  ada\n  i-2  login  bob',
    );
  });

  it("names the fields that there are", async () => {
    const { run } = await startWithMail();
    const { code, err } = await run(["items", "get", "i-1", "--field", "pasword"]);
    expect(code).toBe(1);
    expect(err).toContain("It has: username, password, website, one_time_code.");
    expect(err).toContain('Did you mean "password"?');
  });

  it("says that an item is not verified", async () => {
    const { run, add } = await startFakeVaults();
    add("forged-1", mail);
    expect((await run(["items", "get", "forged-1"])).err).toContain("Not verified:");
  });

  it.each([["get"], ["edit", "--generate"], ["copy"]])("%s refuses an older item without --older", async (...words) => {
    const { run, add, requests } = await startFakeVaults();
    add("older-1", mail);
    const { code, err } = await run(["items", ...words, "older-1"]);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/seen version 3 .* sent version 1\. .* repeat with --older\./),
    ]);
    expect(requests).not.toContain("PutItem");
    if (words[0] !== "copy") expect(await run(["items", ...words, "older-1", "--older"])).toMatchObject({ code: 0 });
  });

  it.each(["older", "forked"] as const)(
    "asks again for an item that another program has replaced meanwhile",
    async (what) => {
      const { run } = await startWithMail();
      const open = vi.fn(fakeUnlocked.open);
      open.mockImplementationOnce(async (item) => ({
        ...(await fakeUnlocked.open(item)),
        finding: { what, seen: 2, sent: 1 },
      }));
      vi.mocked(readUnlocked).mockResolvedValue({ ...fakeUnlocked, open });
      expect(await run(["items", "get", "Example mail", "--field", "username"])).toMatchObject({
        code: 0,
        out: "ada\n",
      });
    },
  );

  it("says why what was seen cannot be read, also for a title, and that a saved item cannot be remembered", async () => {
    const { run } = await startWithMail();
    const fail = () => Promise.reject(new MemoryError("seen-items/x.json is damaged."));
    vi.mocked(readUnlocked).mockResolvedValue({ ...fakeUnlocked, open: fail, remember: fail });
    for (const words of [["get", "i-1"], ["get", "Example mail"], ["list"]]) {
      const { code, err } = await run(["items", ...words]);
      expect([code, err]).toEqual([1, expect.stringContaining("seen-items/x.json is damaged.")]);
    }
    const { code, err } = await run(["items", "create", "--title", "New"]);
    expect([code, err]).toEqual([0, expect.stringContaining("The server has done it, but this computer cannot")]);
  });

  it.each([["get"], ["edit", "password=x"], ["copy"]])("%s while locked says what to run", async (command, ...rest) => {
    vi.mocked(readUnlocked).mockResolvedValue(undefined);
    const { run } = await startWithMail();
    const { code, err } = await run(["items", command, "i-1", ...rest]);
    expect([code, err]).toEqual([6, expect.stringContaining("Run: platform unlock")]);
  });
});

describe("items create", () => {
  it("stores the fields of the kind, a generated password and tags", async () => {
    const { run, contentOf } = await startFakeVaults();
    const { code, out } = await run(
      ["items", "create", "--title", "New", "--tags", "a, b", "--generate", "username=ada", "pin:secret=-", "--json"],
      piped("1234\n"),
    );
    expect(code).toBe(0);
    const { itemId, version, kind } = JSON.parse(out);
    expect([version, kind]).toEqual([1, "login"]);
    const content = contentOf(itemId);
    expect(content).toMatchObject({ title: "New", tags: ["a", "b"] });
    const values = new Map(content?.fields.map(({ name, value }) => [name, value]));
    expect(Object.fromEntries(values)).toMatchObject({ username: "ada", pin: "1234", notes: "" });
    expect(values.get("password")).toHaveLength(20);
    expect(out).not.toContain(values.get("password"));
  });

  it("says that a secret on the command line can be seen", async () => {
    const { run } = await startFakeVaults();
    const { code, err } = await run(["items", "create", "--title", "New", `password=${secret}`]);
    expect([code, err]).toEqual([0, expect.stringContaining("Next time, use password=?")]);
    expect(err).not.toContain(secret);
  });

  it.each([
    [["pin=1", secret], "Field 2 of the command is not name=value."],
    [[`=${secret}`], "A field needs a name. Give it as name=value."],
    [[`--password=${secret}`], "unknown option '--password'"],
    [["--json", `--password=${secret}`], "unknown option '--password'"],
    [[`pin=${secret}\ufffd`], "Field 1 of the command is not UTF-8."],
    [["a=-", "b=-"], "Only one field can be read from standard input."],
    [["password=?"], "There is no terminal to ask for"],
    [["password=?"], 'The value for "password" is empty', answering("")],
    [["one_time_code=not base 32!"], "is not an otpauth:// URI, or"],
    [["--generate-in", "file:file"], '"file" is a file.'],
    [["file:file=?"], '"file" is a file. Give its path, or file=- for standard input.', answering(secret)],
    [["expires:month=13/31"], 'The value of "expires" is not a month, such as'],
    [["website=a", "website=b"], "another field with this name, give it as website[2]=…"],
    [["--generate", "password=a"], 'changes the field "password" twice'],
    [["website[3]=a"], "give it as website[2]=…"],
    [["colour[1]=red"], "give it as colour=…"],
  ])("%j ends without a new item: %s", async (words, message, parts = {}) => {
    const { run, requests } = await startFakeVaults();
    const { code, err } = await run(["items", "create", "--title", "New", ...words], parts);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(err).not.toContain(secret);
    expect(requests).not.toContain("PutItem");
  });

  const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n";
  it.each([
    ["password", "grüße\n", "grüße"],
    ["password", "a\nb\r\n", "a\nb"],
    ["password", "a\n\n", "a\n"],
    ["password", "a\0b", "a\0b"],
    ["password", "\ufeffa", "a"],
    ["password", Buffer.from("\ufeffgrüße\r\n", "utf16le"), "grüße"],
    ["password", Buffer.from("\ufeffgrüße\r\n", "utf16le").swap16(), "grüße"],
    ["private_key", key, key],
    ["private_key", key.replaceAll("\n", "\r\n"), key.replaceAll("\n", "\r\n")],
    ["certificate", `Subject: x\n${key}`, `Subject: x\n${key}`],
    ["notes", "a\nb\n", "a\nb\n"],
    ["expires:month", "06/31\n", "2031-06"],
    ["file:file", Buffer.from([0xff, 10]), "_wo"],
  ])("%s=- stores %j as %j, and get prints it", async (name, bytes, value) => {
    const { run, contentOf } = await startFakeVaults();
    const { out } = await run(["items", "create", "--title", "N", "--json", `${name}=-`], piped(bytes));
    const stored = contentOf(JSON.parse(out).itemId)?.fields.find((field) => field.value !== "");
    expect(stored?.value).toBe(value);
    const get = ["items", "get", "N", "--no-newline", "--field", stored?.name ?? ""];
    if (stored?.type !== "file") expect((await run(get)).out).toBe(value);
  });

  it("without a title ends with 2, and an item that is too large, too", async () => {
    const { run } = await startFakeVaults();
    expect(await run(["items", "create"])).toMatchObject({ code: 2, err: "An item needs a title: --title <title>\n" });
    const long = await run(["items", "create", "--title", "x".repeat(501)]);
    expect(long).toMatchObject({ code: 2, err: expect.stringContaining("at most 500") });
  });
});

describe("items edit", () => {
  it("changes, adds and removes fields, and keeps the others and what it does not know", async () => {
    const { run, add, contentOf } = await startFakeVaults();
    add("i-1", { ...mail, others: { colour: "red" } });
    const words = ["username=bob", "pin:secret=-", "--remove", "website", "--title", "Renamed"];
    const { code, out } = await run(["items", "edit", "Example mail", ...words], piped("1"));
    expect([code, out]).toEqual([0, 'Changed "Renamed", version 2.\n']);
    expect(contentOf("i-1")).toEqual({
      ...mail,
      others: { colour: "red" },
      title: "Renamed",
      fields: [
        { ...mail.fields[0], value: "bob" },
        mail.fields[1],
        mail.fields[3],
        { name: "pin", type: "secret", value: "1" },
      ],
    });
  });

  it.each([
    [[], 2, "There is nothing to change."],
    [["--remove", "pin"], 1, 'has no field "pin"'],
    [["password=-"], 2, 'The value for "password" is empty, and nothing has changed.', ""],
    [["password=-"], 2, 'The value for "password" is empty, and nothing has changed.', "\n"],
    [["file:file=-"], 2, 'The value for "file" is empty, and nothing has changed.', ""],
    [["password=-"], 2, 'The value of "password" is not UTF-8', Buffer.from("schl\xfcssel", "latin1")],
    [["password=-"], 2, 'The value of "password" is not UTF-8', Buffer.from("a–b", "utf16le")],
    [["password=-"], 2, 'The value of "password" is not UTF-8', Buffer.from("\xff\xfe\0\0a\0\0\0", "latin1")],
  ])("%j ends with %d: %s", async (words, code, message, bytes = "") => {
    const { run, requests } = await startWithMail();
    const { err, ...ended } = await run(["items", "edit", "i-1", ...words], piped(bytes));
    expect([ended.code, err]).toEqual([code, expect.stringContaining(message)]);
    expect(requests).not.toContain("PutItem");
  });

  it.each([[["password=-", "--allow-empty"]], [["password="]]])("%j stores an empty password", async (words) => {
    const { run, contentOf } = await startWithMail();
    expect(await run(["items", "edit", "i-1", ...words], piped(""))).toMatchObject({ code: 0 });
    expect(contentOf("i-1")?.fields[1]?.value).toBe("");
  });
});

it("items delete and restore accept a title, and an item that is not deleted is not restored", async () => {
  const { run, requests } = await startWithMail();
  expect(await run(["items", "restore", "i-1"])).toMatchObject({
    code: 1,
    err: "Item i-1 is not deleted. There is nothing to restore.\n",
  });
  expect((await run(["items", "delete", "Example mail"])).out).toContain('Deleted "Example mail", version 2.');
  expect(requests.at(-1)).toBe("DeleteItems");
  expect((await run(["items", "list"])).out).toContain("There are no items");
  expect((await run(["items", "get", "i-1"])).err).toContain("To restore it: platform items restore i-1");
  await run(["items", "restore", "Example mail"]);
  expect(requests.at(-1)).toBe("RestoreItem");
});

it("items list --deleted says who has signed a deletion, and whose word the others are", async () => {
  const { run, proofs } = await startWithMail();
  await run(["items", "delete", "i-1"]);
  const list = async (...words: string[]) => (await run(["items", "list", "--deleted", ...words])).out;
  expect(await list()).toContain("deleted by you");
  expect(JSON.parse(await list("--json"))).toMatchObject({ deletedBy: "you" });
  for (const proof of [undefined, { writerId: "ada", signature: "of another item" }]) {
    proofs.set("v-1/i-1", proof);
    expect(await list()).toContain("deleted, as the server says");
    expect(await list("--json")).not.toContain("deletedBy");
  }
});

it.each([
  ["while the vaults are locked, without a signature", undefined, "1", ["DeleteItem"]],
  ["after a rejection, for its reason", fakeUnlocked, "7", ["DeleteItems", "DeleteItem"]],
])("items delete calls the public operation %s", async (_, unlocked, version, calls) => {
  vi.mocked(readUnlocked).mockResolvedValue(unlocked);
  const { run, requests } = await startWithMail();
  await run(["items", "delete", "i-1", "--vault", "v-1", "--version", version]);
  expect(requests.filter((name) => name.startsWith("DeleteItem"))).toEqual(calls);
});

describe("an item with two fields of one name", () => {
  const twins = ["ada", "bob"].map((value) => ({ name: "user", type: "secret", value }) as const);

  it.each([
    ["get", "--field", "user"],
    ["get", "--field", "User"],
    ["copy", "user"],
    ["edit", "user=-"],
    ["edit", "--remove", "user"],
    ["edit", "--generate-in", "user"],
  ])("%s %s %s ends with 2, and names both", async (command, ...words) => {
    const { run, add, requests } = await startFakeVaults();
    add("i-1", { title: "T", fields: twins });
    const { code, err } = await run(["items", command, "i-1", ...words], piped("x"));
    expect([code, err]).toEqual([2, expect.stringContaining("Specify one of them: user[1], user[2].")]);
    expect(requests).not.toContain("PutItem");
  });

  it.each([
    [["user[2]=x"], ["ada", "x"]],
    [["User[3]=x"], ["ada", "bob", "x"]],
    [["--remove", "user[1]", "user[2]=x"], ["x"]],
    [
      ["--generate-in", "user[1]:secret", "--length", "8"],
      [expect.stringMatching(/^.{8}$/), "bob"],
    ],
  ])("edit %j leaves %j", async (words, values) => {
    const { run, add, contentOf } = await startFakeVaults();
    add("i-1", { title: "T", fields: twins });
    expect(await run(["items", "edit", "i-1", ...words])).toMatchObject({ code: 0 });
    expect(contentOf("i-1")?.fields.map(({ name, value }) => [name, value])).toEqual(
      values.map((one) => ["user", one]),
    );
  });

  it("get shows the place of each, and a name that looks like a place is never taken for one", async () => {
    const { run, add } = await startFakeVaults();
    const named = ["", "user[2]", "user[2]"].map((name, at) => ({ name, type: "text", value: `v${at}` }) as const);
    add("i-1", { title: "T", fields: [...twins, ...named] });
    expect((await run(["items", "get", "i-1"])).out).toMatch(/User\[1\] .*\nUser\[2\] /);
    const { fields } = JSON.parse((await run(["items", "get", "i-1", "--json"])).out);
    const references: string[] = fields.map(({ reference }: { reference: string }) => reference.split("/").at(-1));
    const specified = references.map(decodeURIComponent);
    expect(specified).toEqual(["user[1]", "user[2]", "[1]", "user[2][1]", "user[2][2]"]);
    const read = specified.map((one) => run(["items", "get", "i-1", "--no-newline", "--field", one]));
    const values = (await Promise.all(read)).map(({ out }) => out);
    expect(values).toEqual(["ada", "", "v0", "v1", "v2"]);
  });
});
