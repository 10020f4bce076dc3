import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listen, platform, signedIn } from "./testing/run-program.js";

describe("the command line", () => {
  it.each([[[]], [["help"]], [["--help"]]])("%j prints the help with examples, and ends with 0", async (words) => {
    const { code, out, err } = await platform(words);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^Usage: platform/);
    expect(out).toContain("Examples:\n  $ platform login\n");
    expect(out).toContain("4 somebody changed the item first");
    expect(out).toContain("Keys of --json:\n  error, message, reason, requestId, notice\n");
  });

  it.each([["items"], ["vaults"]])("%s without a command prints its help, and ends with 0", async (word) => {
    const { code, out, err } = await platform([word]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^Usage: platform ${word} `));
    expect(out).toContain("Examples:");
  });

  it.each([
    [["item"], "Did you mean items?"],
    [["items", "lst"], "Did you mean list?"],
    [["items", "list", "--serach", "x"], "Did you mean --search?"],
  ])("%j is answered with what was probably meant: %s", async (words, text) => {
    expect(await platform(words)).toMatchObject({ code: 2, err: expect.stringContaining(text) });
  });

  it("has the version of the package", async () => {
    expect(await platform(["--version"])).toEqual({ code: 0, out: "0.0.0\n", err: "" });
    expect(await platform(["broker", "--version"], {}, {}, true)).toMatchObject({ code: 0, out: "0.0.0\n" });
  });

  it.each([["--help"], ["help"]])("platform-broker %s prints a help without what only a person needs", async (word) => {
    const { code, out } = await platform(["broker", word], {}, {}, true);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: platform-broker .*\$ BROKER_PUBLIC_URL=\S+ BROKER_\S+ platform-broker\n/s);
    expect(out).not.toMatch(/--wait|--for|platform broker/);
  });

  it.each([
    [["unknown"], "unknown command 'unknown'"],
    [["items", "delete"], "missing required argument 'item'"],
    [["items", "delete", "i-1", "--version", "0"], "It must be a whole number from 1"],
    [["items", "restore", "i-1", "--version", "4294967296"], "It must be a whole number from 1"],
    [["watch", "--cursor", "-1"], "It must be a whole number from 0"],
    [["broker", "--port", "65536"], "It must be a port, from 0 to 65535."],
    [["broker", "--port", "abc"], "It must be a port, from 0 to 65535."],
    [["broker", "token", "--host", "https://api.example"], "It must be a host, such as api.example.com"],
    [["broker", "--public-url", "http://broker.example"], "It must be an https URL"],
    [["broker", "--host", "0.0.0.0"], "Set --public-url or BROKER_PUBLIC_URL to it."],
    [["broker", "--host", "::", "--wait"], "Set --public-url or BROKER_PUBLIC_URL to it."],
    [["broker", "--for", "8d"], "It must be a time from 1m to 7d"],
    [["completion", "tcsh"], "It must be bash, zsh or fish."],
    [["login", "--url", "api"], "--url is not valid. It must be an https URL"],
    [["login", "--url", "http://api.example"], "Plain http is only for localhost, 127.0.0.1 and [::1]"],
    [["login", "--url", "https://api.example", "--accounts", "http://accounts.example"], "--accounts is not valid."],
    [["login", "--scope", "vaults:manage"], "Allowed choices are vault.items:read, vault.items:write"],
  ])("%j ends with 2: %s", async (words, message) => {
    const { code, err } = await platform(words);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("without a session", () => {
  it.each([
    [["whoami"], ""],
    [["items", "list"], ""],
    [["items", "delete", "i-1"], " --scope vault.items:read vault.items:delete"],
    [["broker"], " --scope vault.items:read vault.items:use"],
    [["watch"], ""],
  ])("%j ends with 3, and says which login allows it", async (words, scopes) => {
    const err = `You are not signed in. Run: platform login${scopes}\n`;
    expect(await platform(words)).toEqual({ code: 3, err, out: "" });
  });

  it.each([
    [["whoami", "--json"], 3, "You are not signed in. Run: platform login"],
    [["whoami", "--json", "--unknown"], 2, "unknown option '--unknown'"],
  ])("%j prints its error as one line of JSON", async (words, code, message) => {
    const { err, ...result } = await platform(words);
    expect(result).toEqual({ code, out: "" });
    expect(JSON.parse(err)).toEqual({ error: { message } });
  });
});

it.each([["whoami"], ["whoami", "--json"]])("%j writes no control character or mark of direction", async (...words) => {
  const folder = join(await signedIn("http://127.0.0.1:2"), "a\u001b[2J\u202e");
  await mkdir(folder);
  await writeFile(join(folder, "settings.json"), "");
  const { err } = await platform(words, { PLATFORM_CONFIG_DIR: folder });
  expect(err).toMatch(/a\\+u001b\[2J\\+u202e/);
  expect(err).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_C}]/u);
});

describe("logout", () => {
  it("removes the session also when the server cannot be reached, and names the page that ends it", async () => {
    const issuer = "http://127.0.0.1:2";
    const folder = await signedIn(issuer);
    const { code, err } = await platform(["logout"], { PLATFORM_CONFIG_DIR: folder });
    expect(code).toBe(5);
    expect(err).toContain(`the session has not ended on the server. End it at ${issuer}/console/agents.`);
    expect(err).not.toContain("refresh-1");
    expect(await platform(["logout"], { PLATFORM_CONFIG_DIR: folder })).toMatchObject({
      code: 0,
      out: "You are not signed in.\n",
    });
  });
});

describe("a command whose scope the person has not allowed", () => {
  it.each([
    [["items", "delete", "i-1"], "vault.items:delete", "vault.items:read vault.items:delete"],
    [["items", "restore", "i-1"], "vault.items:restore", "vault.items:read vault.items:restore"],
  ])("%j sends nothing, and names the login that asks for it", async (words, missing, all) => {
    const requests: (string | undefined)[] = [];
    const { url } = await listen((request, response) => {
      requests.push(request.url);
      response.end();
    });
    const { code, err } = await platform(words, { PLATFORM_CONFIG_DIR: await signedIn(url) });
    const text = `This command needs ${missing}, which you have not allowed. Run: platform login --scope ${all}\n`;
    expect([code, err, requests]).toEqual([1, text, []]);
  });

  it("deletes with the scope for deleting alone, if vault and version are given", async () => {
    const requests: (string | undefined)[] = [];
    const { url } = await listen((request, response) => {
      requests.push(request.url);
      response.writeHead(404, { "Content-Type": "application/json" }).end("{}");
    });
    const folder = await signedIn(url, { scopes: ["vault.items:delete"] });
    const words = ["items", "delete", "i-1", "--vault", "v-1", "--version", "1"];
    await platform(words, { PLATFORM_CONFIG_DIR: folder });
    expect(requests).toEqual(["/platform.v1.VaultService/DeleteItem"]);
  });
});

it("a session is never used for an API other than the one that it was approved for", async () => {
  const requests: (string | undefined)[] = [];
  const { url } = await listen((request, response) => {
    requests.push(request.url);
    response.end();
  });
  const folder = await signedIn(url);
  await writeFile(
    join(folder, "settings.json"),
    JSON.stringify({ apiUrl: url.replace("127.0.0.1", "localhost"), issuer: url }),
  );
  const { code, err } = await platform(["items", "list"], { PLATFORM_CONFIG_DIR: folder });
  expect([code, err, requests]).toEqual([3, "You are not signed in. Run: platform login\n", []]);
});

it.each([["whoami"], ["watch"], ["login"]])(
  "%s with damaged settings ends with 3, and says what to run",
  async (...words) => {
    const folder = await signedIn("http://127.0.0.1:2");
    const path = join(folder, "settings.json");
    await writeFile(path, "");
    const { code, err } = await platform(words, { PLATFORM_CONFIG_DIR: folder });
    expect([code, err]).toEqual([3, `${path} cannot be read (damaged). Run: platform login --url <url>\n`]);
  },
);

describe("login", () => {
  it("ends with 5 when the API cannot be reached", async () => {
    const { code, err } = await platform(["login", "--url", "http://127.0.0.1:2"]);
    expect([code, err]).toEqual([
      5,
      "http://127.0.0.1:2 cannot be reached (ECONNREFUSED). Check the URL and the network.\n",
    ]);
  });

  it.each([
    [404, "nothing"],
    [200, '{"authorization_servers":[]}'],
  ])("says that the URL is not that of the API when it answers %d %s", async (status, body) => {
    const { url } = await listen((_, response) => response.writeHead(status).end(body));
    const { code, err } = await platform(["login"], { PLATFORM_URL: `${url}/base/` });
    expect([code, err]).toEqual([
      1,
      `${url}/.well-known/oauth-protected-resource/base does not name an authorization server (HTTP ${status}). Check the URL of the API.\n`,
    ]);
  });
});

describe("doctor", () => {
  it("prints what is wrong, and ends with 1", async () => {
    const { code, out, err } = await platform(["doctor"], { PLATFORM_URL: "https://api.example.invalid" });
    expect(code).toBe(1);
    expect(out).toContain("✓ tls: the connection is encrypted");
    expect(out).toContain("✗ server: https://api.example.invalid cannot be reached (ENOTFOUND)");
    expect(out).toContain("✗ session: You are not signed in. Run: platform login");
    expect(err).toBe("3 of 5 checks failed.\n");
  });

  it.each([undefined, ""])("does not know the URL if PLATFORM_URL is %j", async (url) => {
    const { out } = await platform(["doctor"], url === undefined ? {} : { PLATFORM_URL: url });
    expect(out).toContain("✗ url: It is not known. Run: platform login --url <url>");
  });

  it.each([
    [-60_000, "✗ server: This machine's clock is 60 s ahead of the server's. Set it."],
    [60_000, "✗ server: This machine's clock is 60 s behind the server's. Set it."],
    [0, "✓ server: it answers, and the clocks agree"],
  ])("compares the clock with that of a server that differs by %d ms", async (skew, line) => {
    // The header has whole seconds.
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-22T12:00:00Z") });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await listen((_, response) =>
      response.setHeader("Date", new Date(Date.now() + skew).toUTCString()).end(),
    );
    expect((await platform(["doctor"], { PLATFORM_URL: url })).out).toContain(line);
  });

  it("reports a server that is not healthy", async () => {
    const { url } = await listen((_, response) => response.writeHead(503).end());
    const { out } = await platform(["doctor"], { PLATFORM_URL: url });
    expect(out).toContain(`✗ server: ${url} answers with HTTP 503. Ask its operator.`);
  });
});
