const browsers = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\//],
  ["Safari", /\bSafari\//],
] as const;
const systems = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad)\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
] as const;

/** Returns the family of a browser and its system, such as `Firefox on Linux`, for the list of sessions. */
export function browserName(userAgent = ""): string {
  const find = (names: typeof browsers | typeof systems) => names.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return `${find(browsers) ?? "A browser"} on ${find(systems) ?? "an unknown system"}`;
}
