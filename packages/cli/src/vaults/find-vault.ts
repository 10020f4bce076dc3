import { printable } from "@platform-rpc/client";
import { listVaults, type MemberVault, ProgramError, type UnlockedVaults } from "@platform-rpc/signed-in";
import { type Connection, connect, type Scope } from "../session/connect.js";
import { printNotice, type Terminal } from "../terminal/terminal.js";
import { readUnlocked } from "../unlocked/unlocked-vaults.js";

/** A connection, and what this machine can decrypt. */
export interface Access extends Connection {
  /** Undefined while the vaults are locked. */
  readonly unlocked: UnlockedVaults | undefined;
  /** Whether the command changes something. Then the head of the vault is stored after that, and otherwise when it is listed. */
  readonly changes: boolean;
  readonly signal: AbortSignal;
  /** Writes a sentence for the person. */
  notify(message: string): void;
}

export interface NamedVault {
  readonly vault: MemberVault;
  readonly vaultId: string;
  /** Undefined while the vaults are locked. */
  readonly name: string | undefined;
}

/** Connects as the signed-in person, and reads what is unlocked. @throws ProgramError as `connect` does. */
export async function openAccess(
  terminal: Terminal,
  needed: readonly Scope[],
  { json = false }: { readonly json?: boolean | undefined } = {},
): Promise<Access> {
  const connection = await connect(terminal, needed);
  return {
    ...connection,
    unlocked: await readUnlocked(terminal),
    changes: needed.some((scope) => scope !== "vault.items:read"),
    signal: terminal.signal,
    notify: (message) => printNotice(terminal, message, { json }),
  };
}

/** Returns what is unlocked. @throws ProgramError while the vaults are locked. */
export function requireUnlocked({ unlocked }: Pick<Access, "unlocked">, why: string): UnlockedVaults {
  if (unlocked === undefined) throw new ProgramError(`${why} Run: platform unlock`, "locked");
  return unlocked;
}

/** Returns whether a text could be the id of a vault or an item. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(text);
}

/** Lists the vaults that are not deleted, with their names if they are unlocked. */
export async function namedVaults(access: Access): Promise<NamedVault[]> {
  const vaults = await listVaults(access, access.signal);
  return Promise.all(
    vaults
      .filter(({ deleted }) => !deleted)
      .map(async (vault) => ({ vault, vaultId: vault.vaultId, name: await access.unlocked?.nameOf(vault) })),
  );
}

/**
 * Returns the id of the vault that a person means: by its id or its name, otherwise the default one of the settings, otherwise their only
 * one. While the vaults are locked, an id is not looked up.
 *
 * @throws ProgramError if there is no such vault, or several are possible.
 */
export async function findVault(access: Access, given: string | undefined): Promise<string> {
  const wanted = given ?? access.vault;
  if (wanted === undefined) return onlyVault(access);
  if (given === undefined) return wanted;
  if (access.unlocked === undefined && isId(wanted)) return wanted;
  return matchVault(access, await namedVaults(access), wanted).vaultId;
}

/** Returns the listed vault with an id or a name. @throws ProgramError if there is none, or several have the name. */
export function matchVault(
  { unlocked }: Pick<Access, "unlocked">,
  vaults: readonly NamedVault[],
  wanted: string,
): NamedVault {
  const byId = vaults.find(({ vaultId }) => vaultId === wanted);
  if (byId !== undefined) return byId;
  const text = wanted.normalize();
  const exact = vaults.filter(({ name }) => name?.normalize() === text);
  const folded = vaults.filter(({ name }) => name?.normalize().toLowerCase() === text.toLowerCase());
  const [only, ...others] = exact.length > 0 ? exact : folded;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    const lines = [only, ...others].map(shown).join("\n");
    throw new ProgramError(
      `${others.length + 1} vaults have the name "${wanted}". Specify one by its id:\n${lines}`,
      "usage",
    );
  }
  const why = unlocked === undefined ? " Names are encrypted: to use them, run: platform unlock" : "";
  const names = vaults.flatMap(({ vaultId, name }) => (name === undefined ? [vaultId] : [name, vaultId]));
  throw new ProgramError(`There is no vault "${wanted}".${suggestion(wanted, names)}${why}`, "usage");
}

async function onlyVault(access: Access): Promise<string> {
  const vaults = await namedVaults(access);
  const [only, ...others] = vaults;
  if (only === undefined) throw new ProgramError("You are not a member of any vault. Ask the owner of a vault.");
  if (others.length === 0) return only.vaultId;
  throw new ProgramError(
    `You are a member of several vaults. Specify one with --vault, or for all commands: platform vaults use <vault>\n${vaults.map(shown).join("\n")}`,
    "usage",
  );
}

function shown({ vaultId, name }: NamedVault): string {
  return name === undefined ? `  ${vaultId}` : `  ${name} (${vaultId})`;
}

/** Returns the question whether the person meant one of the words, with a space before it; empty if none is similar. */
export function suggestion(typed: string, words: readonly string[]): string {
  const from = typed.toLowerCase();
  const isNear = (distance: number, length: number) =>
    distance <= Math.max(length < 4 ? 1 : 2, Math.floor(length * 0.4));
  const measured = words.map((word) => ({ word, distance: distance(from, word.toLowerCase()) }));
  const [nearest] = measured
    .filter(({ word, distance }) => isNear(distance, Math.max(from.length, word.length)))
    .toSorted((one, other) => one.distance - other.distance);
  return nearest === undefined ? "" : ` Did you mean "${printable(nearest.word)}"?`;
}

/** Returns how many characters are inserted, removed or replaced between two texts (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
