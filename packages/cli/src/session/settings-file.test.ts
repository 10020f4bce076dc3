import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readSettings, writeSettings } from "./settings-file.js";

it("the settings remember where the person has signed in; damaged ones are reported", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cli-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect(await readSettings(folder)).toBeUndefined();
  const at = { apiUrl: "https://api.example", issuer: "https://accounts.example" };
  await writeSettings(folder, at);
  expect(await readSettings(folder)).toEqual(at);
  const path = join(folder, "settings.json");
  const advice = "Run: platform login --url <url>";
  for (const text of ["", "{", "null", "{}"]) {
    await writeFile(path, text);
    await expect(readSettings(folder)).rejects.toThrow(`${path} cannot be read (damaged). ${advice}`);
  }
  await rm(path);
  await mkdir(path);
  await expect(readSettings(folder)).rejects.toThrow(`${path} cannot be read (EISDIR). ${advice}`);
  await expect(writeSettings(folder, at)).rejects.toThrow(`You are signed in, but ${path} cannot be written: EISDIR`);
});
