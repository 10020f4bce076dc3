import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPages, root } from "./pages.ts";

const pages = readPages();
// The code of docs/extending.md is nowhere else: `pnpm extending` carries the page out.
const examples = pages
  .filter(({ path }) => path !== "docs/extending.md")
  .flatMap(({ path, folder, text }) =>
    [...text.matchAll(/(?:<!-- (\S+) -->\n)?```ts\n(.*?)```/gs)].map(([, file, code = ""]) => ({
      page: path,
      file,
      code,
      source: file === undefined ? undefined : join(folder, file),
    })),
  );

/** Returns the anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replaceAll(/^ *```.*?^ *```/gms, "").matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("TypeScript on a page is a copy of a file that the compiler checks", () => {
  it("there are examples", () => {
    expect(examples.length).toBeGreaterThan(5);
  });

  it.each(examples)("$page contains an exact copy of $file", ({ file, code, source }) => {
    expect(file, "a comment above the code names its file").toBeDefined();
    expect(readFileSync(source ?? "", "utf8")).toBe(code);
  });
});

describe("an example prints the output in its comments", () => {
  const printing = examples.filter(({ code }) => /console\.log.*\n\/\/ /.test(code));

  it.each(printing)("$page: $file", ({ code, source }) => {
    const promised = [...code.matchAll(/console\.log.*\n\/\/ (.*)\n/g)].map(([, line]) => line);
    const printed = execFileSync(process.execPath, [source ?? ""], { encoding: "utf8" });
    expect(printed.trimEnd().split("\n")).toEqual(promised);
  });
});

describe("the targets of a page's links exist", () => {
  const links = pages.flatMap(({ path, folder, text }) =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) => ({
      path,
      target,
      absolute: join(folder, target),
    })),
  );

  it.each(links)("$path → $target", ({ absolute }) => {
    expect(existsSync(absolute)).toBe(true);
  });

  const anchors = pages.flatMap(({ path, folder, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)].map(([, target = "", anchor = ""]) => ({
      path,
      anchor,
      absolute: target === "" ? join(root, path) : join(folder, target),
    })),
  );

  it.each(anchors.filter(({ absolute }) => absolute.endsWith(".md")))("$path → #$anchor", ({ absolute, anchor }) => {
    expect(anchorsOf(readFileSync(absolute, "utf8"))).toContain(anchor);
  });

  const decisions = pages.find(({ path }) => path === "docs/decisions.md")?.text ?? "";
  const proofs = [
    ...new Set([...decisions.matchAll(/`((?:packages|apps|tools|proto)\/[^`]+)`/g)].map(([, path]) => path)),
  ];

  it.each(proofs)("docs/decisions.md → %s", (path) => {
    expect(existsSync(join(root, path ?? ""))).toBe(true);
  });
});

describe("every `pnpm` command on a page, and `npm start`, is a script of the workspace", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const own = new Set(["exec", "install", "pack", "publish"]);
  const commands = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:`|^|npx -y )(?:pnpm(?:@12)?|npm(?= start)) ([a-z][a-z:-]*)/gm)].map(([, command = ""]) => ({
      path,
      command,
    })),
  );

  it.each(commands.filter(({ command }) => !own.has(command)))("$path: pnpm $command", ({ command }) => {
    expect(scripts).toHaveProperty([command]);
  });

  it("CONTRIBUTING.md lists every gate, and no other", () => {
    const check = readFileSync(join(root, "tools/check.sh"), "utf8");
    const gates = [...check.matchAll(/--silent gates ([a-z: ]+)/g)].flatMap(([, listed = ""]) =>
      listed.trim().split(" "),
    );
    const contributing = pages.find(({ path }) => path === "CONTRIBUTING.md")?.text ?? "";
    const [, table = ""] = /\| gate \|.*\n\|-.*\n((?:\|.*\n)+)/.exec(contributing) ?? [];
    const listed = [...table.matchAll(/^\| `pnpm (.*?)` \|/gm)].map(([, script]) => script);
    expect(listed.sort()).toEqual([...gates, "test"].sort());
  });
});
