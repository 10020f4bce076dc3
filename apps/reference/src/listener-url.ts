/** The URL at which a listener of this machine answers. One on every address answers on the loopback address too. */
export function listenerUrl(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${hostInUrl(host)}:${port}`;
}

/** A host as URLs and Host headers have it: an IPv6 address in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
