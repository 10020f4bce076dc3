import { attempt } from "../wire/read-json.js";

const loopback = /^(?:localhost|127(?:\.[0-9]+){3}|\[::1\])$/;

/** Returns an https URL, or one of this machine with plain http. Returns undefined for anything else, and for one with credentials. */
export function secureUrl(text: unknown): URL | undefined {
  const url = attempt(() => new URL(`${text}`));
  if (url === undefined || url.username + url.password !== "") return undefined;
  return url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname)) ? url : undefined;
}
