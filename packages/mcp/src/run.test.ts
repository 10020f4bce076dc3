import { expect, it } from "vitest";
import { run } from "./run.js";

/** Runs the program in this process, for starts that do not serve. */
async function start(words: readonly string[], environment: Record<string, string> = {}) {
  const written = { out: "", err: "" };
  const code = await run(words, environment, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
  });
  return { code, ...written };
}

it("prints its version and its help", async () => {
  expect(await start(["--version"])).toEqual({ code: undefined, out: "0.0.0\n", err: "" });
  expect(await start(["--help"])).toMatchObject({
    code: undefined,
    out: expect.stringContaining("Usage: platform-mcp"),
  });
});

it.each([
  [["--unknown"], {}, "Unknown option '--unknown'"],
  [["word"], {}, "Usage: platform-mcp"],
  [[], {}, "PLATFORM_URL is required."],
  [[], { PLATFORM_URL: "file:///etc" }, "PLATFORM_URL is not valid. It must be an https URL"],
  [
    [],
    { PLATFORM_URL: "http://api.example" },
    "Plain http is only for localhost, 127.0.0.1 and [::1]. Set it to the URL of the API.",
  ],
])("%j with %j ends with 2, and writes only to standard error", async (words, environment, text) => {
  const folder = { PLATFORM_CONFIG_DIR: "/nonexistent" };
  expect(await start(words, { ...folder, ...environment })).toEqual({
    code: 2,
    out: "",
    err: expect.stringContaining(text),
  });
});
