/**
 * Returns the headers of an error as a flat list. A challenge also gets the URL of the protected resource metadata, so that a client
 * finds the authorization server (RFC 9728 section 5.1).
 */
export function errorHeaders(metadata: Headers, resourceMetadataUrl: () => string | undefined): string[] {
  const url = metadata.has("WWW-Authenticate") ? resourceMetadataUrl() : undefined;
  if (url === undefined) return [...metadata].flat();
  return [...metadata].flatMap(([name, value]) => [name, name === "www-authenticate" ? withUrl(value, url) : value]);
}

function withUrl(challenge: string, url: string): string {
  return `${challenge}${challenge.includes("=") ? ", " : " "}resource_metadata="${url}"`;
}
