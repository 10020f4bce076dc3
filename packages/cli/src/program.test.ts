import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { run } from "./program.js";

/** Runs the program in this process, without a session. */
async function platform(words: readonly string[], environment: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "cli-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const written = { out: "", err: "" };
  const code = await run(
    {
      out: (text) => {
        written.out += text;
      },
      err: (text) => {
        written.err += text;
      },
      interactive: false,
      environment: { PLATFORM_CONFIG_DIR: folder, ...environment },
      signal: new AbortController().signal,
    },
    words,
  );
  return { code, ...written };
}

describe("the command line", () => {
  it("explains itself, with its exit codes", async () => {
    const { code, out } = await platform(["--help"]);
    expect(code).toBe(0);
    expect(out).toContain("Usage: platform");
    expect(out).toContain("4 somebody changed the item first");
  });

  it("has the version of the package", async () => {
    expect(await platform(["--version"])).toEqual({ code: 0, out: "0.0.0\n", err: "" });
  });

  it.each([
    [["unknown"], "unknown command 'unknown'"],
    [["items", "delete"], "missing required argument 'item'"],
    [["items", "delete", "i-1", "--version", "x"], "It must be a whole number."],
    [["watch", "--cursor", "-1"], "It must be a whole number."],
    [["completion", "tcsh"], "It must be bash, zsh or fish."],
    [["login", "--url", "api"], "--url is not a URL"],
    [["login"], "The URL of the API is missing"],
  ])("%j ends with 2: %s", async (words, message) => {
    const { code, err } = await platform(words);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("without a session", () => {
  it.each([["whoami"], ["items", "list"], ["items", "delete", "i-1"], ["items", "restore", "i-1"], ["watch"]])(
    "%s %s ends with 3, and says what to run",
    async (...words) => {
      const { code, err, out } = await platform(words);
      expect({ code, err, out }).toEqual({ code: 3, err: "You are not signed in. Run: platform login\n", out: "" });
    },
  );

  it("logout has nothing to do", async () => {
    expect(await platform(["logout"])).toMatchObject({ code: 0, out: "You are not signed in.\n" });
  });

  it("errors are JSON with --json", async () => {
    const { err } = await platform(["whoami", "--json"]);
    expect(JSON.parse(err)).toEqual({ error: { message: "You are not signed in. Run: platform login" } });
  });
});

describe("login", () => {
  it("ends with 5 when the API cannot be reached", async () => {
    const { code, err } = await platform(["login", "--url", "http://127.0.0.1:1"]);
    expect([code, err]).toEqual([5, "http://127.0.0.1:1 cannot be reached. Check the URL and the network.\n"]);
  });

  it.each([
    [404, "nothing"],
    [200, "<html>"],
    [200, "{}"],
    [200, '{"authorization_servers":[]}'],
    [200, '{"authorization_servers":["x"]}'],
  ])("says that the URL is not that of the API when it answers %d %s", async (status, body) => {
    const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { code, err } = await platform(["login"], { PLATFORM_URL: `http://127.0.0.1:${port}/base/` });
    expect([code, err]).toEqual([
      1,
      `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/base does not name an authorization server (HTTP ${status}). Check the URL of the API.\n`,
    ]);
  });
});

describe("doctor", () => {
  it("says what is missing, and ends with 1", async () => {
    const { code, out, err } = await platform(["doctor"], { PLATFORM_URL: "http://api.example.invalid" });
    expect(code).toBe(1);
    expect(out).toContain("✗ tls: http://api.example.invalid is not encrypted. Use https.");
    expect(out).toContain("✗ server: http://api.example.invalid cannot be reached (ENOTFOUND)");
    expect(out).toContain("✗ session: You are not signed in. Run: platform login");
    expect(err).toBe("4 of 4 checks failed.\n");
  });
});

describe("completion", () => {
  it("completes commands, their commands and their options in bash", async () => {
    const { out } = await platform(["completion", "bash"]);
    const complete = (...words: string[]) => {
      const quoted = words.map((word) => `'${word}'`).join(" ");
      const script = `${out}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _platform; echo "\${COMPREPLY[*]}"`;
      return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim();
    };
    expect(complete("platform", "w")).toBe("whoami watch");
    expect(complete("platform", "items", "")).toBe("list delete restore --help");
    expect(complete("platform", "items", "list", "--d")).toBe("--deleted");
    expect(complete("platform", "items", "--json", "list", "--v")).toBe("--vault");
  });

  it.each([
    ["zsh", "bashcompinit"],
    ["fish", "complete -c platform -f -n '__fish_use_subcommand' -a login"],
  ])("has a form for %s", async (shell, text) => {
    expect((await platform(["completion", shell])).out).toContain(text);
  });
});
