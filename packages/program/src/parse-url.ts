/** The name of this machine, in a URL. */
const loopback = /^(?:localhost|127(?:\.[0-9]+){3}|\[::1\])$/;

/** What `parseUrl` accepts, for messages. */
export const acceptedUrl = "an https URL without credentials, query or fragment. Plain http is only for this machine";

/**
 * Returns an https URL, or one of this machine with plain http, without slashes at its end; undefined for anything else. Rejects
 * credentials: the programs print the URL, and store it in a file that other users can read.
 */
export function parseUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (text === undefined || url === null || !/^https?:\/\/[^?#\s]+$/i.test(text)) return undefined;
  const isSecure = url.protocol === "https:" || loopback.test(url.hostname);
  return isSecure && url.username + url.password === "" ? url.href.replace(/\/+$/, "") : undefined;
}
