import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { findProgram } from "./find-browser.js";
import type { Terminal } from "./terminal.js";

/** The programs that write and read the clipboard of a desktop. */
interface Clipboard {
  readonly write: readonly string[];
  readonly clear: readonly string[];
  /** Undefined: the clipboard cannot be read, and so is not cleared. */
  readonly read: readonly string[];
}

/** Returns the programs that this machine has. Over SSH, the clipboard of the person is on another machine. */
export async function findClipboard(
  environment: Terminal["environment"],
  platform: NodeJS.Platform = process.platform,
): Promise<Clipboard | undefined> {
  const { SSH_CONNECTION, SSH_TTY, DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME, PATH = "" } = environment;
  if (SSH_CONNECTION || SSH_TTY) return undefined;
  const has = async (...names: readonly string[]) => {
    const found = await Promise.all(names.map((name) => findProgram(name, PATH)));
    return found.every((path) => path !== undefined);
  };
  if (platform === "darwin") return { write: ["pbcopy"], clear: ["pbcopy"], read: ["pbpaste"] };
  if (WAYLAND_DISPLAY && (await has("wl-copy", "wl-paste"))) {
    return { write: ["wl-copy"], clear: ["wl-copy", "--clear"], read: ["wl-paste", "--no-newline"] };
  }
  const selection = ["-selection", "clipboard"];
  if (DISPLAY && (await has("xclip"))) {
    return { write: ["xclip", ...selection], clear: ["xclip", ...selection], read: ["xclip", ...selection, "-o"] };
  }
  if (DISPLAY && (await has("xsel"))) {
    const clear = ["xsel", "--clipboard", "--clear"];
    return { write: ["xsel", "--clipboard", "--input"], clear, read: ["xsel", "--clipboard", "--output"] };
  }
  if ((platform === "win32" || WSL_DISTRO_NAME) && (await has("clip.exe"))) {
    const read = ["powershell.exe", "-NoProfile", "-Command", "Get-Clipboard -Raw"];
    return { write: ["clip.exe"], clear: ["clip.exe"], read };
  }
  return undefined;
}

/** Writes a text to the clipboard. The text is never an argument: other programs can read those. */
export async function writeClipboard(
  { write }: Pick<Clipboard, "write">,
  value: string,
  env: Terminal["environment"],
): Promise<void> {
  await pipe(write, value, env);
}

export async function clearClipboard({ clear }: Pick<Clipboard, "clear">, env: Terminal["environment"]): Promise<void> {
  await pipe(clear, "", env);
}

async function pipe(words: readonly string[], value: string, env: Terminal["environment"]): Promise<void> {
  const [program = "", ...rest] = words;
  // `xclip` stays, to serve the clipboard, and would keep pipes open.
  const child = spawn(program, rest, { env, stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.on("error", () => {});
  child.stdin.end(value);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${program} ended with ${code}.`);
}

export async function readClipboard({ read }: Pick<Clipboard, "read">, env: Terminal["environment"]): Promise<string> {
  const [program = "", ...rest] = read;
  const child = spawn(program, rest, { env, stdio: ["ignore", "pipe", "ignore"] });
  const [content] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return content;
}

/** Returns what makes a terminal copy a text to its clipboard, also over SSH (OSC 52). An empty text clears it. */
export function copySequence(value: string): string {
  return `\u001b]52;c;${Buffer.from(value).toString("base64")}\u0007`;
}
