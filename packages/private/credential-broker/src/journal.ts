import { appendFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { createPrivateFolder, readCheckedFile, replacePrivateFile, sharingProblem } from "@platform-rpc/files";
import { ProgramError } from "@platform-rpc/signed-in";
import type { Outcome } from "./uses.js";

/**
 * What is known of a use. `counting`: it may be counted, and nothing was sent. `sending`: it was counted, and the request may have been sent.
 * The others are final.
 */
type State = "counting" | "sending" | "answered" | Outcome;

const states: readonly State[] = ["counting", "sending", "answered", "not_sent", "unknown"];

interface Use {
  readonly state: State;
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  /** The hash of the key with which its request can be repeated. Empty: it has none. */
  readonly key: string;
}

/** Remembers uses across a kill of this process. */
export type Journal = Awaited<ReturnType<typeof openJournal>>;

/** How long a request cannot be repeated with the same key, in milliseconds. */
const repeatMs = 60_000;

/** The file is written anew with what is still needed when it is larger, in bytes. */
const largestBytes = 1_048_576;

interface Line {
  readonly text: string;
  readonly isDurable: boolean;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Opens the journal in a file. Nothing in it is a secret: ids, times, and hashes of keys.
 *
 * @param recover reports a use that another process began and did not end. It is tried again at the next start if it rejects
 * @throws ProgramError if other users can use the file, or it cannot be written
 */
export async function openJournal(
  path: string,
  recover: (useId: string, outcome: Outcome) => Promise<void>,
  now: () => number = Date.now,
) {
  await createPrivateFolder(dirname(path));
  const uses = readUses(await readJournal(path));
  /** The last use with each key. */
  const byKey = new Map([...uses].map(([useId, { key }]) => [key, useId]));
  const isNeeded = ({ state, at, key }: Use) => !isFinal(state) || (key !== "" && now() - at < repeatMs);
  const remove = (useId: string) => {
    const { key = "" } = uses.get(useId) ?? {};
    if (byKey.get(key) === useId) byKey.delete(key);
    uses.delete(useId);
  };
  const text = () => {
    for (const [useId, use] of uses) if (!isNeeded(use)) remove(useId);
    return [...uses].map(([useId, use]) => lineOf(useId, use)).join("");
  };
  await Promise.all(
    [...uses].map(async ([useId, use]) => {
      if (isFinal(use.state)) return;
      const outcome = use.state === "sending" ? "unknown" : "not_sent";
      await recover(useId, outcome).then(
        () => uses.set(useId, { ...use, state: outcome }),
        () => undefined,
      );
    }),
  );
  let file = await replace();
  let size = 0;
  /** What has come while the file is replaced. */
  let lines: Line[] = [];
  let replacing: Promise<void> | undefined;
  /** Whether the open file is surely the one at the path. */
  let isAtPath = true;
  /** What is written, and waits for the disk. */
  let unflushed: Line[] = [];
  let flushing: Promise<void> | undefined;

  async function replace(): Promise<FileHandle> {
    await replacePrivateFile(path, text());
    return open(path, "a");
  }

  async function replaceFile(): Promise<void> {
    try {
      const before = file;
      file = await replace();
      size = 0;
      // After the flush that may run.
      void before.close().catch(() => undefined);
      isAtPath = true;
    } catch (error) {
      // Another file may be at the path already, so a line in the open one could be lost. The next line tries it again.
      isAtPath = false;
      for (const { failed } of lines.splice(0)) failed(error);
    }
    replacing = undefined;
    if (isAtPath) writeLines();
  }

  /** Writes at once: that takes less time than to let a thread do it, and a line waits for no flush of another. */
  function writeLines(): void {
    const group = lines;
    lines = [];
    if (group.length === 0) return;
    try {
      // A full disk may have torn the line before.
      const bytes = Buffer.from(`\n${group.map((line) => line.text).join("")}`);
      appendFileSync(file.fd, bytes);
      size += bytes.length;
    } catch (error) {
      for (const { failed } of group) failed(error);
      return;
    }
    for (const line of group) {
      if (line.isDurable) unflushed.push(line);
      else line.written();
    }
    if (unflushed.length > 0) flushing ??= flush();
    if (size >= largestBytes) replacing = replaceFile();
  }

  /** Flushes everything that was written in the meantime at once: many uses share one flush of the disk. */
  async function flush(): Promise<void> {
    while (unflushed.length > 0) {
      const group = unflushed;
      unflushed = [];
      try {
        await file.datasync();
        for (const { written } of group) written();
      } catch (error) {
        for (const { failed } of group) failed(error);
      }
    }
    flushing = undefined;
  }

  function write(useId: string, use: Use, isDurable: boolean): Promise<void> {
    if (isNeeded(use)) uses.set(useId, use);
    else remove(useId);
    return new Promise((written, failed) => {
      lines.push({ text: lineOf(useId, use), isDurable, written, failed });
      if (replacing !== undefined) return;
      if (isAtPath) writeLines();
      else replacing = replaceFile();
    });
  }

  function change(useId: string, state: State, isDurable: boolean): Promise<void> {
    return write(useId, { at: now(), key: "", ...uses.get(useId), state }, isDurable);
  }

  return {
    /** Returns the last use with a key in the last minute. */
    find(key: string): State | undefined {
      const last = uses.get(byKey.get(key) ?? "");
      return last && now() - last.at < repeatMs ? last.state : undefined;
    },
    /** Before a use is counted. */
    begin(useId: string, key: string): Promise<void> {
      if (key !== "") byKey.set(key, useId);
      return write(useId, { state: "counting", at: now(), key }, false);
    },
    /** Resolves when it is on disk that the request may have been sent. */
    sending: (useId: string) => change(useId, "sending", true),
    end: (useId: string, state: "answered" | Outcome) => void change(useId, state, false).catch(() => undefined),
    /** Of a request that was refused before anything was counted: final, and without a key, it is neither found nor reported. */
    forget: (useId: string) => void write(useId, { state: "not_sent", at: 0, key: "" }, false).catch(() => undefined),
    async close() {
      await replacing;
      await flushing;
      await file.close();
    },
  };
}

function isFinal(state: State): boolean {
  return state !== "counting" && state !== "sending";
}

function lineOf(useId: string, { state, at, key }: Use): string {
  return `${state} ${useId} ${at} ${key}\n`;
}

/** The last line of a use counts. A line that a power cut has torn is ignored. */
function readUses(text: string): Map<string, Use> {
  const uses = new Map<string, Use>();
  for (const line of text.split("\n")) {
    const [word, useId, at, key = ""] = line.split(" ");
    const state = states.find((each) => each === word);
    if (state !== undefined && useId && at) uses.set(useId, { state, at: Number(at), key });
  }
  return uses;
}

async function readJournal(path: string): Promise<string> {
  const text = await readCheckedFile(path, (stats) => {
    const problem = sharingProblem(stats, path);
    if (problem !== undefined) throw new ProgramError(`${path} ${problem.how}. Run: ${problem.command}`);
  });
  return text ?? "";
}
