import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { demoFilesIn } from "../demo-data/demo-files.js";
import { curlLines, type StartedApp, startLines } from "./start-lines.js";

const app: StartedApp = {
  publicUrl: "http://127.0.0.1:8080",
  docsUrl: "http://127.0.0.1:8080/docs/",
  internalUrl: "http://127.0.0.1:8081",
  accountsUrl: "http://127.0.0.1:8082",
  pagesUrl: "http://accounts.localhost:8082",
  mcpUrl: "http://127.0.0.1:8083/mcp",
  recoveryCodeFile: "data/demo/recovery-code.txt",
  adminTokenFile: "data/admin.token",
  curlLines: ["curl one", "curl two"],
};

describe("what the program prints when it has started", () => {
  it("is at most 12 lines: the address to open, the code's file, the curl lines, the programs, and how to stop", () => {
    const lines = startLines(app);
    expect(lines.length).toBeLessThanOrEqual(12);
    expect(lines[0]).toBe(
      "Open http://accounts.localhost:8082 and sign in with the code in data/demo/recovery-code.txt.",
    );
    expect(lines).toEqual(expect.arrayContaining(["curl one", "curl two", "Press Ctrl+C to stop."]));
    expect(lines).toContain("  public    http://127.0.0.1:8080 (documentation: http://127.0.0.1:8080/docs/)");
    expect(lines).toContain(
      "  mcp       http://127.0.0.1:8083/mcp (claude mcp add --transport http platform http://127.0.0.1:8083/mcp)",
    );
    expect(lines).toContain("CLI: packages/cli/README.md   MCP: packages/mcp/README.md");
  });

  it("is what the README shows", () => {
    const readme = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8");
    const lines = startLines({ ...app, curlLines: curlLines(app.publicUrl, demoFilesIn("data/demo")) });
    expect(readme).toContain(`\n\`\`\`text\n${lines.join("\n")}\n\`\`\`\n`);
  });

  it("names no page for people without an accounts origin, and no documentation if it is not built", () => {
    const without = {
      docsUrl: undefined,
      accountsUrl: undefined,
      pagesUrl: undefined,
      mcpUrl: undefined,
      recoveryCodeFile: undefined,
      curlLines: [],
    };
    const lines = startLines({ ...app, ...without });
    expect(lines[0]).toBe("The platform is running.");
    expect(lines.join("\n")).not.toMatch(/sign in|CLI|documentation|mcp/);
  });
});
