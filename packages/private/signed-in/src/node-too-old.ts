/**
 * Returns the message for a Node that is older than the program supports, such as 22.12; undefined for a newer one. Old versions have to
 * parse and run it, so it uses no newer syntax, and a program imports everything else only afterwards.
 */
export function nodeTooOld(program: string, least: string, found: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = found.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `${program} needs Node ${least} or newer, and this is Node ${found}. Install a newer one from https://nodejs.org.`;
}
