import { relative } from "node:path";

/** Returns a path relative to the current folder if it is inside, so that people can read and paste it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
