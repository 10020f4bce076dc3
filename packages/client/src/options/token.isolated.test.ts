import { Session } from "node:inspector";
import { format, inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { createTokenSource } from "../call/token-source.js";
import { systemClock } from "./clock.js";
import { SecretToken } from "./token.js";

describe("SecretToken", () => {
  const token = new SecretToken("canary", new Date(0));

  it.each([
    { how: "String", printed: String(token) },
    { how: "a template", printed: `${token}` },
    { how: "JSON", printed: JSON.stringify({ token }) },
    { how: "inspect", printed: inspect({ token }, { showHidden: true, depth: null }) },
    { how: "console.log", printed: format("%s %o %O %j", token, token, token, token) },
    { how: "its keys and values", printed: JSON.stringify(Object.entries(token)) },
    { how: "the console of a browser", printed: previewOf(token) },
  ])("is not printed by $how", ({ printed }) => {
    expect(printed).not.toContain("canary");
  });

  it("prints [redacted]", () => {
    expect([String(token), JSON.stringify(token), inspect(token)]).toEqual([
      "[redacted]",
      '"[redacted]"',
      "[redacted]",
    ]);
  });

  it("is returned only by reveal()", () => {
    expect(token.reveal()).toBe("canary");
  });

  it("of another copy of the package is accepted as a token, alone or from a provider", async () => {
    vi.resetModules();
    const copy = await import("./token.js");
    expect(copy.SecretToken).not.toBe(SecretToken);
    const foreign = new copy.SecretToken("token-1");
    for (const token of [foreign, () => foreign, () => ({ accessToken: foreign })]) {
      const provider = typeof token === "function" ? token : () => token;
      const { get } = createTokenSource(provider, { timeoutMs: 1_000, clock: systemClock, notify: () => undefined });
      expect(await get({ info: { requestId: "request-1" } })).toBe("token-1");
    }
  });
});

/** What the developer tools of a browser on V8 show of a value that is logged. */
function previewOf(logged: unknown): string {
  vi.stubGlobal("logged", logged);
  const session = new Session();
  session.connect();
  let shown = "";
  session.post("Runtime.evaluate", { expression: "logged", generatePreview: true }, (_, { result }) => {
    shown = JSON.stringify(result.preview);
  });
  session.disconnect();
  vi.unstubAllGlobals();
  return shown || expect.unreachable("nothing was shown");
}
