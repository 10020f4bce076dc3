import { runInNewContext } from "node:vm";

/**
 * The value of an exported constant of a TypeScript file that is an object of plain data, such as
 * `export const defaultLimits: Limits = { bodyBytes: 64 * 1024 };`.
 *
 * The file itself is not run: the text of the literal is, where it can reach nothing.
 *
 * @throws Error when there is no such constant, or when it is made of more than plain data.
 */
export function readPlainData(source: string, name: string): unknown {
  const declaration = new RegExp(`^(?:export )?const ${name}\\b[^\\n]* = {$([\\s\\S]*?)^}`, "m").exec(source);
  const text = declaration?.[1];
  if (text === undefined) throw new Error(`there is no constant ${name} that is an object literal`);
  try {
    const data: unknown = runInNewContext(`JSON.stringify({${text}})`, undefined, { timeout: 5_000 });
    return JSON.parse(String(data));
  } catch (error) {
    throw new Error(`the constant ${name} is more than plain data: ${error instanceof Error ? error.message : error}`);
  }
}
