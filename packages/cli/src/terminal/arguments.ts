import { passwordLengths } from "@platform-rpc/items/generate-password";
import { hostIn } from "@platform-rpc/items/item-use";
import { acceptedUrl, parseUrl } from "@platform-rpc/signed-in";
import { InvalidArgumentError } from "commander";
import { isShell } from "../completion.js";

/** Returns a parser of versions and sequences, which are 32 bits long. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= 0xffffffff) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${0xffffffff}.`);
  };
}

export function portNumber(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError("It must be a port, from 0 to 65535.");
}

export function publicUrl(text: string): string {
  const url = parseUrl(text);
  if (url !== undefined) return url;
  throw new InvalidArgumentError(`It must be ${acceptedUrl}.`);
}

export function passwordLength(text: string): number {
  const { shortest, longest } = passwordLengths;
  const length = wholeNumber(shortest)(text);
  if (length <= longest) return length;
  throw new InvalidArgumentError(`It must be a whole number from ${shortest} to ${longest}.`);
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Collects hosts, as approvals name them. */
export function collectHost(text: string, before?: readonly string[]): readonly string[] {
  if (hostIn(text) === text) return collect(text, before);
  throw new InvalidArgumentError(
    "It must be a host, such as api.example.com: in lower case, without a scheme and a path.",
  );
}

export function list(text: string): readonly string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns a parser of times, in milliseconds. */
export function timeUpTo(mostDays: number): (text: string) => number {
  return (text) => {
    const [, count = "", unit = ""] = /^([1-9][0-9]{0,3})([mhd])$/.exec(text) ?? [];
    const ms = Number(count) * (unitsMs[unit] ?? Number.NaN);
    if (ms <= mostDays * 86_400_000) return ms;
    throw new InvalidArgumentError(`It must be a time from 1m to ${mostDays}d, such as 15m, 2h or 1d.`);
  };
}

/** How long the keys of vaults stay by default, in milliseconds. */
export const unlockedMs = 15 * 60_000;
/** How long a person can let them stay. */
export const unlockTime = timeUpTo(7);

export function shell(name: string) {
  if (!isShell(name)) throw new InvalidArgumentError("It must be bash, zsh or fish.");
  return name;
}
