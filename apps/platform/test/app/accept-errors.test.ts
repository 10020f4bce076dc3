import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

it("DECISIONS section 7: a listener keeps running when it cannot accept connections because file descriptors are exhausted", async () => {
  const script = fileURLToPath(new URL("../../src/testing/small-listener.ts", import.meta.url));
  const child = spawn("/bin/sh", ["-c", 'ulimit -n 100 && exec "$0" "$1"', process.execPath, script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const [printed] = await once(child.stdout, "data");
  const port = Number(String(printed));

  const strangers = Array.from({ length: 300 }, () => connect({ port, host: "127.0.0.1" }).on("error", () => {}));
  await Promise.all(strangers.map((stranger) => Promise.race([once(stranger, "connect"), once(stranger, "close")])));
  const healthz = () => fetch(`http://127.0.0.1:${port}/healthz`).then(({ status }) => status);
  await expect.poll(() => healthz().catch(() => "refused")).toBe("refused");
  for (const stranger of strangers) stranger.destroy();
  await expect.poll(() => healthz().catch(() => "refused")).toBe(200);
  expect(child.exitCode).toBeNull();
});
