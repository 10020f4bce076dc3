import { isUtf8 } from "node:buffer";
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import { createMasking } from "@platform-rpc/credential-broker/mask-secrets";
import { ProgramError } from "@platform-rpc/signed-in";
import { getField } from "../items/field-names.js";
import { findContent, usableValue } from "../items/open-items.js";
import { parseEnvFile } from "../running/env-file.js";
import { parseReference, type Reference } from "../running/reference.js";
import { decodeText } from "../terminal/decode-text.js";
import type { Terminal } from "../terminal/terminal.js";
import { type Access, findVault, openAccess, requireUnlocked } from "../vaults/find-vault.js";
import { notVerified } from "./item-command.js";

export interface RunOptions {
  readonly envFile?: readonly string[];
  readonly masking: boolean;
  readonly older?: boolean | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs a command with the secrets that its environment refers to, and masks them in what it prints. Resolves with its exit code.
 *
 * @throws ProgramError if a reference cannot be resolved. Then the command does not start.
 */
export async function runCommand(
  terminal: Terminal,
  words: readonly string[],
  { envFile = [], masking, older }: RunOptions,
): Promise<number> {
  let given: Environment = terminal.environment;
  for (const path of envFile) given = { ...given, ...parseEnvFile(decodeText(await readFile(path), path), path) };
  const references = Object.entries(given).flatMap(([variable, value = ""]) => {
    const reference = parseReference(value, variable);
    return reference === undefined ? [] : [{ variable, reference, older }];
  });
  const secrets = references.length === 0 ? {} : await resolve(terminal, references);
  const values = Object.values(secrets);
  const isMasked = masking && values.length > 0;
  return runChild(words, { ...given, ...secrets }, isMasked ? values : undefined);
}

interface Variable extends Pick<RunOptions, "older"> {
  readonly variable: string;
  readonly reference: Reference;
}

async function resolve(terminal: Terminal, references: readonly Variable[]): Promise<Record<string, string>> {
  const access = await openAccess(terminal, ["vault.items:read"]);
  requireUnlocked(access, "The contents of items are encrypted.");
  const found = await Promise.all(references.map((one) => resolveOne(access, one)));
  return Object.fromEntries(found);
}

async function resolveOne(
  access: Access,
  { variable, reference, older }: Variable,
): Promise<readonly [string, string]> {
  try {
    const vaultId = await findVault(access, reference.vault);
    const opened = await findContent(access, { vaultId, wanted: reference.item, older });
    if (!opened.isVerified) access.notify(`${variable}: ${notVerified}`);
    const value = Buffer.from(await usableValue(getField(opened, reference.field)));
    if (!isUtf8(value) || value.includes(0)) {
      throw new ProgramError("The value cannot be in a variable: it contains NUL, or is not text in UTF-8.");
    }
    return [variable, value.toString()];
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    throw new ProgramError(`${variable}: ${error.message}\nThe command has not started.`, error.kind, { cause: error });
  }
}

/** Signals that ask this program to end. They are for the command. */
const forwarded = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const;

async function runChild(
  [program = "", ...rest]: readonly string[],
  env: Environment,
  secrets: readonly string[] | undefined,
): Promise<number> {
  const stdio: StdioOptions = secrets === undefined ? "inherit" : ["inherit", "pipe", "pipe"];
  const child = spawn(program, rest, { env, stdio });
  const started = once(child, "spawn");
  const ended = new Promise<number>((done) => {
    child.once("close", (code, signal) => done(code ?? 128 + constants.signals[signal ?? "SIGTERM"]));
  });
  const stopForwarding = forward(child);
  try {
    await started.catch(({ code }: NodeJS.ErrnoException) => {
      throw new ProgramError(`${program} cannot be started (${code}).`);
    });
    const masked =
      secrets &&
      Promise.all([filter(child.stdout, process.stdout, secrets), filter(child.stderr, process.stderr, secrets)]);
    const code = await ended;
    await masked;
    return code;
  } finally {
    stopForwarding();
  }
}

function forward(child: ChildProcess): () => void {
  const listeners = forwarded.map((signal) => {
    // A terminal sends the signals of its keys to both programs.
    const fromKeys = process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT");
    const listener = () => void (fromKeys || child.kill(signal));
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const stop of listeners) stop();
  };
}

async function filter(
  from: NodeJS.ReadableStream | null,
  to: NodeJS.WriteStream,
  secrets: readonly string[],
): Promise<void> {
  if (from === null) return;
  const masking = createMasking(secrets);
  for await (const chunk of from) await write(to, masking.push(Buffer.from(chunk)));
  await write(to, masking.end());
}

/** Waits while the reader is slower than the command. */
async function write(to: NodeJS.WriteStream, bytes: Uint8Array): Promise<void> {
  if (!to.write(bytes)) await once(to, "drain");
}
