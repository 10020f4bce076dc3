import { copyFile, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call } from "../../src/testing/call.js";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const exchange = "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";

describe("the program whose database is deleted or replaced while it runs", () => {
  it.each<[string, (folder: string) => Promise<void>]>([
    ["its folder deleted", (folder) => rm(folder, { recursive: true })],
    ["its file deleted", (folder) => rm(join(folder, "platform.sqlite"))],
    ["its file replaced by a copy", (folder) => replaceByCopy(join(folder, "platform.sqlite"))],
    ["its WAL deleted", (folder) => rm(join(folder, "platform.sqlite-wal"))],
  ])("%s: answers no further call with 200, logs one fatal line, and ends with an error", async (_, lose) => {
    const folder = join(await temporaryFolder(), "data");
    const app = await runApp({ DATA_DIR: folder });
    const token = await readFile(join(folder, "demo/access.token"), "utf8");
    const body = JSON.parse(await readFile(join(folder, "demo/poll-pending.json"), "utf8"));
    const status = () =>
      call(app.publicUrl, exchange, body, token).then(
        (answer) => answer.status,
        () => "gone",
      );
    expect(await status()).toBe(200);
    await lose(folder);
    const seen: unknown[] = [];
    await expect
      .poll(
        async () => {
          seen.push(await status());
          return seen.at(-1);
        },
        { interval: 20 },
      )
      .not.toBe(200);
    expect(await status()).not.toBe(200);
    expect(await app.ended).toBe(1);
    const fatal = app
      .err()
      .split("\n")
      .filter((line) => line.includes('"level":60'));
    expect(fatal).toHaveLength(1);
    expect(fatal[0]).toContain("the database files were deleted or replaced");
  });
});

async function replaceByCopy(path: string): Promise<void> {
  await copyFile(path, `${path}.copy`);
  await rename(`${path}.copy`, path);
}
