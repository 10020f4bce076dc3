import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readSettings, writeSettings } from "./settings-file.js";

it("the settings remember where the person has signed in; damaged ones count as none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cli-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect(await readSettings(folder)).toBeUndefined();
  const at = { apiUrl: "https://api.example", issuer: "https://accounts.example" };
  await writeSettings(folder, at);
  expect(await readSettings(folder)).toEqual(at);
  await writeFile(join(folder, "settings.json"), "{");
  expect(await readSettings(folder)).toBeUndefined();
});
