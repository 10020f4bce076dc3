import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { freePort } from "@platform-rpc/testbed/network";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { call } from "../../src/testing/call.js";
import { startTestApp } from "../../src/testing/start-test-app.js";
import { newUnlockedCommandLine } from "../../src/testing/unlocked-command-line.js";

const secret = "correct horse battery";
const scopes = ["vault.items:read", "vault.items:write", "vault.items:delete", "vault.items:restore", "vaults:manage"];

const app = await startTestApp({ DEMO: "on" });
const { commandLine, member, workId } = await newUnlockedCommandLine(app, scopes);
afterAll(async () => {
  await app.end();
  await commandLine.remove();
});

type Lie = (path: string, body: string) => string;

/** Starts a server in front of the accounts origin that alters answers, and returns how a program runs with it that has seen nothing. */
async function startLyingServer(lie: Lie) {
  const issuer = app.accountsUrl ?? expect.unreachable();
  const server = createServer(async (request, response) => {
    const { url = "", headers } = request;
    const token = headers.authorization?.split(" ")[1];
    const answer = await call(issuer, url.slice(1), await text(request), token);
    response.writeHead(answer.status, { "Content-Type": "application/json" }).end(lie(url, answer.text));
  });
  onTestFinished(() => void server.close());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await once(server.listen(port, "127.0.0.1"), "listening");
  const folder = join(commandLine.home, "lied-to");
  await mkdir(folder, { mode: 0o700 });
  for (const file of ["session.json", "settings.json", "unlocked.json"]) {
    const stored = await readFile(join(commandLine.home, ".config/platform", file), "utf8");
    await writeFile(join(folder, file), stored.replaceAll(issuer, url), { mode: 0o600 });
  }
  return (...words: string[]) => commandLine.startProgram(words, { PLATFORM_CONFIG_DIR: folder }).ended;
}

const run = (...words: string[]) => commandLine.run(...words);
const { PATH } = process.env;

// What each command does is tested in packages/cli. Here are what needs a process, and one command of each kind with the app.
describe("the program platform", () => {
  it("has bold headings and the exit code 0 for its help on a terminal, and no escape sequence with NO_COLOR", async () => {
    const coloured = await commandLine.startInTerminal([], {}).ended;
    expect([coloured.code, coloured.out]).toEqual([0, expect.stringContaining("\u001b[1mExamples:\u001b[22m")]);
    const { code, out } = await commandLine.startInTerminal([]).ended;
    expect([code, out]).toEqual([0, expect.stringContaining("\nExamples:")]);
    expect(out).not.toContain("\u001b");
  });

  it("finds nothing wrong with a good session", async () => {
    const { code, out } = await run("doctor");
    expect(out.split("\n").filter((line) => line.startsWith("✗"))).toEqual([]);
    expect(code).toBe(0);
  });

  it("deletes and restores items, and follows the changes until Ctrl+C, with the position to continue from", async () => {
    const follower = commandLine.startProgram(["watch", "--vault", "demo-vault"]);
    await follower.printed(/(demo-login)/);
    expect(await run("items", "delete", "demo-note", "--vault", "demo-vault", "--version", "1")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Deleted demo-note, version 2."),
    });
    await follower.printed(/(deleted +demo-note)/);
    expect(await run("items", "restore", "demo-note", "--vault", "demo-vault")).toMatchObject({
      code: 0,
      out: "Restored demo-note, version 3.\n",
    });
    follower.child.kill("SIGINT");
    const { code, err } = await follower.ended;
    expect(code).toBe(130);
    expect(err).toMatch(/To continue from here: platform watch --vault demo-vault --cursor [0-9]+\n\nCanceled/);
  });

  it("ends with 0 when the reader of its output has closed the pipe, as head does", async () => {
    const follower = commandLine.startProgram(["watch", "--json", "--vault", "demo-vault"]);
    await follower.printed(/("itemId":"demo-login")/);
    follower.child.stdout?.destroy();
    await run("items", "delete", "demo-note", "--vault", "demo-vault");
    expect(await follower.ended).toMatchObject({ code: 0, err: "" });
  });

  it("creates an item with a password that is typed and not shown, changes the version that the person saw, and stores a head", async () => {
    const create = commandLine.startInTerminal([
      ...["items", "create", "--vault", "Work", "--title", "Example mail", "username=ada", "password=?"],
    ]);
    await create.printed(/(password: )/);
    create.child.stdin?.write(`${secret}\r`);
    const { code, out } = await create.ended;
    expect(code).toBe(0);
    expect(out).not.toContain(secret);
    const headAt = async () => {
      const { vaults } = await member.listVaults({});
      return vaults.find(({ vaultId }) => vaultId === workId)?.head?.sequence;
    };
    expect(await headAt()).toBe(1);
    const edit = ["items", "edit", "Example mail", "username=bob", "--vault", "Work"];
    expect(await run(...edit)).toMatchObject({ code: 0, out: 'Changed "Example mail", version 2.\n' });
    expect(await run(...edit, "--version", "1")).toMatchObject({
      code: 4,
      err: expect.stringContaining("The current version is 2."),
    });
    // At most one head a minute, also of several processes.
    expect(await headAt()).toBe(1);
  });

  it("refuses an old content that the server sends again, also in another process, unless the person wants it", async () => {
    const create = ["items", "create", "--vault", "Work", "--title", "Bank", "--json", "username=first"];
    const { itemId, vaultId } = JSON.parse((await run(...create)).out);
    const { item = expect.unreachable() } = await member.getItem({ vaultId, itemId });
    const { kind, titleHash, encryptedPayload, wrappedKeys } = item;
    await run("items", "edit", "Bank", "username=second", "--vault", "Work");
    // As a server does that lies: the old content at a new version.
    await member.putItem({ vaultId, itemId, baseVersion: 2, kind, titleHash, encryptedPayload, wrappedKeys });
    expect((await run("items", "list", "--vault", "Work")).out).toMatch(/Bank +first, older than what you saw/);
    const get = ["items", "get", "Bank", "--field", "username", "--vault", "Work"];
    const why = expect.stringMatching(/this device has seen version 2 .* sent version 1\. .* repeat with --older\.\n$/);
    expect(await run(...get)).toEqual({ code: 1, out: "", err: why });
    expect(await run(...get, "--older")).toEqual({ code: 0, out: "first\n", err: "" });
  });

  it("notices a server that hides changes, leaves an item out, or takes the head back, too", async () => {
    let lie: Lie;
    const runLied = await startLyingServer((path, body) => lie(path, body));
    const keeping = (keep: (changes: readonly object[]) => readonly object[]) => (_: string, body: string) => {
      const { changes, ...answer } = JSON.parse(body);
      return JSON.stringify({ ...answer, ...(changes && { changes: keep(changes) }) });
    };
    for (const [next, finding] of [
      // A head that cannot be stored fails no command. The computer remembers it.
      [(path: string, body: string) => (path.endsWith("/PutVaultHead") ? "no JSON" : body), ""],
      [keeping((changes) => changes.slice(0, -1)), "an older state"],
      [keeping((changes) => changes.slice(1)), "another state"],
      [
        (path: string, body: string) => keeping(() => [])(path, body.replaceAll('"head":', '"none":')),
        "an older state",
      ],
    ] as const) {
      lie = next;
      const { code, out, err } = await runLied("items", "list", "--vault", "Work", "--json");
      expect([code, err]).toEqual([0, finding && expect.stringContaining(`shows ${finding} of this vault`)]);
      expect(out.includes('"vaultFinding":{"what":')).toBe(finding !== "" && out !== "");
    }
  });

  it("runs a command without secrets on the terminal itself, and ends as it does", async () => {
    const words = ["run", "--", "sh", "-c", "test -t 1 && exit 5"];
    expect(await commandLine.startInTerminal(words).ended).toMatchObject({ code: 5 });
  });

  it("masks a secret in what a command prints unless it must not, forwards a signal to it, and ends as it does", async () => {
    const script = 'trap "echo ended; exit 9" TERM; echo "$DB"; while :; do sleep 0.05; done';
    const environment = { DB: "pvault://Work/Example mail/password", PATH };
    const running = commandLine.startProgram(["run", "--", "sh", "-c", script], environment);
    await running.printed(/(masked)/);
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 9, out: "<masked pvault>\nended\n" });
    const words = ["run", "--no-masking", "--", "sh", "-c", 'printf %s "$DB"'];
    expect(await commandLine.startProgram(words, environment).ended).toEqual({ code: 0, out: secret, err: "" });
  });

  it("signs out on the server, too: a copy of the session is refused", async () => {
    const file = join(commandLine.home, ".config/platform/session.json");
    const copy = await readFile(file, "utf8");
    expect(await run("logout")).toMatchObject({ code: 0, out: `You are signed out of ${app.accountsUrl}.\n` });
    expect(await run("whoami")).toMatchObject({ code: 3 });
    const expired = { ...JSON.parse(copy), expiresAt: new Date(0).toISOString() };
    await writeFile(file, JSON.stringify(expired), { mode: 0o600 });
    expect(await run("whoami")).toMatchObject({ code: 3, err: expect.stringContaining("The session has ended") });
  });
});
