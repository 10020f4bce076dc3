import { beforeEach, describe, expect, it, vi } from "vitest";
import { fakeUnlocked, startFakeVaults } from "../testing/fake-vaults.js";
import { readUnlocked } from "../unlocked/unlocked-vaults.js";

vi.mock("../unlocked/unlocked-vaults.js", () => ({ readUnlocked: vi.fn() }));
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

  it("has colour and relative times on a terminal only, and no colour with NO_COLOR", async () => {
    const { run } = await startWithMail();
    const { out } = await run(["items", "list"], onTerminal);
    expect(out).toContain("\u001b[1mExample mail\u001b[22m");
    expect(out).toMatch(/\d+ (days?|months?|years?) ago/);
    expect((await run(["items", "list"], onTerminal, { NO_COLOR: "1" })).out).not.toContain("\u001b");
    expect((await run(["items", "list"])).out).not.toContain("\u001b");
  });

  it("escapes control characters in titles", async () => {
    const { run, add } = await startFakeVaults();
    add("i-1", { title: "a\u001b[2J\nb\u202e", fields: [] });
    const { out } = await run(["items", "list"], onTerminal);
    expect(out).toContain("a\\u001b[2J\\u000ab\\u202e");
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
      { readInput: async () => "1234\n" },
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

  it("asks for a value on a terminal, and does not print it", async () => {
    const { run, contentOf } = await startFakeVaults();
    const questions: string[] = [];
    const readHidden = async (question: string) => {
      questions.push(question);
      return secret;
    };
    const { out, err } = await run(["items", "create", "--title", "New", "password=?", "--json"], { readHidden });
    expect(contentOf(JSON.parse(out).itemId)?.fields).toContainEqual({
      name: "password",
      type: "secret",
      value: secret,
    });
    expect([questions, err]).toEqual([["password: "], ""]);
  });

  it("says that a secret on the command line can be seen", async () => {
    const { run } = await startFakeVaults();
    const { code, err } = await run(["items", "create", "--title", "New", `password=${secret}`]);
    expect([code, err]).toEqual([0, expect.stringContaining("Next time, use password=?")]);
    expect(err).not.toContain(secret);
  });

  it.each([
    [["username"], '"username" is not a field. Give it as name=value.'],
    [["a=-", "b=-"], "Only one field can be read from standard input."],
    [["password=?"], "There is no terminal to ask for"],
    [["one_time_code=not base 32!"], "is not an otpauth:// URI"],
  ])("%j ends with 2: %s", async (words, message) => {
    const { run, requests } = await startFakeVaults();
    const { code, err } = await run(["items", "create", "--title", "New", ...words]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(requests).not.toContain("PutItem");
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
    const { code, out } = await run(["items", "edit", "Example mail", ...words], { readInput: async () => "1" });
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
  ])("%j ends with %d: %s", async (words, code, message) => {
    const { run } = await startWithMail();
    expect(await run(["items", "edit", "i-1", ...words])).toMatchObject({
      code,
      err: expect.stringContaining(message),
    });
  });
});

it("items delete and restore accept a title", async () => {
  const { run, requests } = await startWithMail();
  expect((await run(["items", "delete", "Example mail"])).out).toContain('Deleted "Example mail", version 2.');
  expect((await run(["items", "list"])).out).toContain("There are no items");
  expect((await run(["items", "get", "i-1"])).err).toContain("To restore it: platform items restore i-1");
  await run(["items", "restore", "Example mail"]);
  expect(requests.at(-1)).toBe("RestoreItem");
});
