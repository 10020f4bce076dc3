import { createConnection, type Socket } from "node:net";
import { availableParallelism } from "node:os";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { startTarget } from "../load/target.ts";
import { path } from "../platform/fixture.ts";
import { withDigits } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";

const uploads = 1_000;
const uploadedBytes = 5_000_000;
const atOnce = 20;
const connections = 1_000;
const pipelined = 16;
const sizes = [48_000, 400_000];

const target = new URL("./hostile-target.ts", import.meta.url);

/** Runs `pnpm bench hostile`: what senders of rejected uploads get, and the memory of responses that nobody reads. */
export async function benchHostile(): Promise<BenchResult> {
  const heard = await countHeard();
  const memory: number[] = [];
  for (const size of sizes) memory.push(await measureUnread(size));
  return {
    title: "The listener under hostile callers",
    method: `${withDigits(uploads, 0)} uploads of ${uploadedBytes / 1e6} MB to an operation whose bodies have at most 64 KiB, ${atOnce} at a time, while two threads for each core use the CPU: how many of the senders get the response. Then ${withDigits(connections, 0)} connections send ${pipelined} pipelined calls each and read nothing: the memory that this has added after 5 s to the server's process, after a garbage collection.`,
    columns: ["what", "measured"],
    rows: [
      ["responses to rejected uploads that arrive", `${withDigits(heard, 0)} of ${withDigits(uploads, 0)}`],
      ...sizes.map((size, index) => [
        `unread responses of ${size / 1000} kB`,
        `${withDigits(memory[index] ?? 0, 0)} MB`,
      ]),
    ],
    measured: [],
  };
}

async function countHeard(): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const { port, stop } = await startTarget(target, ["1"], "anywhere");
  stack.defer(stop);
  for (let thread = 0; thread < 2 * availableParallelism(); thread += 1) {
    const worker = new Worker("for (;;);", { eval: true });
    stack.defer(async () => void (await worker.terminate()));
  }
  let heard = 0;
  let begun = 0;
  const body = Buffer.alloc(uploadedBytes, "x");
  const sendSome = async () => {
    while (begun < uploads) {
      begun += 1;
      if (await isHeard(connect(port), body)) heard += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendSome));
  return heard;
}

/** Sends a body that is too large, and resolves with whether the sender gets the response. */
function isHeard(socket: Socket, body: Buffer): Promise<boolean> {
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.write(headOf(body.length));
  socket.write(body);
  return new Promise((resolve) => {
    socket.once("close", () => resolve(received.startsWith("HTTP/1.1 429 ") && received.includes("REQUEST_TOO_LARGE")));
  });
}

async function measureUnread(size: number): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const { port, ask, stop } = await startTarget(target, [String(size)]);
  stack.defer(stop);
  const before = await ask("memory");
  const callers = Array.from({ length: connections }, () => connect(port).pause());
  for (const caller of callers) caller.write(`${headOf(2)}{}`.repeat(pipelined));
  await setTimeout(5_000);
  const most = await ask("memory");
  for (const caller of callers) caller.destroy();
  return (most - before) / 1e6;
}

function connect(port: number): Socket {
  return createConnection({ port, host: "127.0.0.1" }).on("error", () => {});
}

function headOf(length: number): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnect-Protocol-Version: 1\r\nContent-Length: ${length}\r\n\r\n`;
}
