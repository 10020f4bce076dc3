import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readUnlocked } from "../../src/unlocked/unlocked-vaults.js";
import { fakeUnlocked, startFakeVaults } from "../testing/fake-vaults.js";
import { temporaryFolder } from "../testing/run-program.js";

vi.mock("../../src/unlocked/unlocked-vaults.js", () => ({ readUnlocked: vi.fn() }));
beforeEach(() => void vi.mocked(readUnlocked).mockResolvedValue(fakeUnlocked));

const secret = "correct horse";

/** A desktop whose clipboard is a file. */
async function startDesktop() {
  const fake = await startFakeVaults();
  const fields = [
    { name: "username", type: "text", value: "ada" },
    { name: "password", type: "secret", value: secret },
    { name: "notes", type: "note", value: "" },
  ] as const;
  fake.add("i-1", { title: "Example mail", fields });
  const folder = await temporaryFolder();
  const [clipboard, main, order, words] = ["clipboard", "main.js", "order.json", "words"].map((name) =>
    join(folder, name),
  );
  const script = `#!/bin/sh\nif [ "$3" = -o ]; then exec cat '${clipboard}'; else exec cat > '${clipboard}'; fi\n`;
  await writeFile(join(folder, "xclip"), script, { mode: 0o700 });
  await writeFile(
    main ?? "",
    `const { writeFileSync, readFileSync } = require("node:fs");
     writeFileSync(${JSON.stringify(words)}, JSON.stringify([process.argv.slice(2), process.env]));
     writeFileSync(${JSON.stringify(order)}, readFileSync(0));`,
  );
  const environment = { DISPLAY: ":0", PATH: `${folder}:/usr/bin:/bin` };
  const read = (path: string | undefined) => readFile(path ?? "", "utf8");
  return {
    ...fake,
    environment,
    main: main ?? "",
    copy: (...rest: string[]) =>
      fake.run(["items", "copy", "Example mail", ...rest], { main: main ?? "" }, environment),
    clipboard: () => read(clipboard),
    setClipboard: (content: string) => writeFile(clipboard ?? "", content),
    /** What the process that clears the clipboard is given. */
    async order() {
      await vi.waitFor(async () => JSON.parse(await read(order)));
      return { input: await read(order), words: await read(words) };
    },
    /** Runs the process that clears the clipboard, without its wait. */
    clear: (input: string) =>
      fake.run(["clear-clipboard"], { readInput: async () => Buffer.from(input), sleep: async () => {} }, environment),
  };
}

describe("items copy", () => {
  it("copies the password, and starts a process that never sees it", async () => {
    const { copy, clipboard, order } = await startDesktop();
    const { code, out } = await copy();
    expect([code, out]).toEqual([0, 'Copied the password of "Example mail". The clipboard is cleared in 30 s.\n']);
    expect(await clipboard()).toBe(secret);
    const { input, words } = await order();
    expect(JSON.parse(words)[0]).toEqual(["clear-clipboard"]);
    expect(words + input).not.toContain(secret);
  });

  it.each([
    [secret, ""],
    [`${secret}\n`, ""],
    ["something else", "something else"],
  ])("the process finds %j in the clipboard, and leaves %j", async (content, left) => {
    const { copy, clipboard, setClipboard, order, clear } = await startDesktop();
    await copy();
    const { input } = await order();
    await setClipboard(content);
    expect(await clear(input)).toEqual({ code: 0, out: "", err: "" });
    expect(await clipboard()).toBe(left);
  });

  it("copies the first secret of an item without a password", async () => {
    const { run, add, clipboard, environment } = await startDesktop();
    const fields = [
      { name: "cardholder", type: "text", value: "Ada" },
      { name: "number", type: "secret", value: "4111" },
    ] as const;
    add("i-2", { title: "Card", fields }, { kind: "card" });
    const { out } = await run(["items", "copy", "Card"], {}, environment);
    expect([out, await clipboard()]).toEqual([expect.stringContaining("Copied the number of"), "4111"]);
  });

  it("does not copy an empty field", async () => {
    const { copy } = await startDesktop();
    expect(await copy("notes")).toMatchObject({ code: 1, err: 'The field "notes" of "Example mail" is empty.\n' });
  });

  it("without a clipboard, asks the terminal to copy, and to clear its clipboard later (OSC 52)", async () => {
    const { run, order, clear, main } = await startDesktop();
    const { code, out } = await run(["items", "copy", "i-1"], { isOutTerminal: true, main });
    expect(code).toBe(0);
    expect(out).toContain(`\u001b]52;c;${Buffer.from(secret).toString("base64")}\u0007Copied the password`);
    expect(out).toContain("In 30 s, the terminal is asked to clear the clipboard, whatever it contains then.");
    expect(out).not.toContain(secret);
    const { input, words } = await order();
    expect(words + input).not.toContain(secret);
    expect(await clear(input)).toEqual({ code: 0, out: "\u001b]52;c;\u0007", err: "" });
  });

  it("does not say that the clipboard is cleared, if nothing can be started that clears it", async () => {
    const { run } = await startDesktop();
    const main = "\0";
    const { code, out } = await run(["items", "copy", "i-1"], { isOutTerminal: true, main });
    expect([code, out]).toEqual([0, expect.stringContaining("It stays there: clear the clipboard yourself.")]);
  });

  it("without a clipboard and a terminal, ends with 1", async () => {
    const { run } = await startDesktop();
    const { code, err, out } = await run(["items", "copy", "i-1"]);
    expect([code, err, out]).toEqual([1, expect.stringContaining("There is no clipboard"), ""]);
  });

  it("over SSH, does not use the clipboard of the machine", async () => {
    const { run } = await startDesktop();
    const environment = { DISPLAY: ":0", SSH_CONNECTION: "1", PATH: "/usr/bin" };
    const { out } = await run(["items", "copy", "i-1"], { isOutTerminal: true }, environment);
    expect(out).toContain("\u001b]52;c;");
  });
});
