import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

it("no file contains TODO: each part that `pnpm new operation` leaves to you is written", () => {
  const files = globSync([".changeset/*.md", "proto/**/*.proto", "{packages,apps}/*/src/**/*.ts"], { cwd: root });
  const unfinished = files.sort().flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) => (/\bTODO\b/.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(unfinished, "write these parts").toEqual([]);
});
