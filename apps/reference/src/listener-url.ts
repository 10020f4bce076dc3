/** Returns the URL of a listener on this machine, with the loopback address if it listens on every address. */
export function listenerUrl(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${hostInUrl(host)}:${port}`;
}

/** Formats a host for URLs and Host headers: an IPv6 address gets brackets. */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
