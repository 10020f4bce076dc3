/** A page of each kind, relative to the base of the site. */
export const kindsOfPages = [
  "",
  "concepts/zero-knowledge",
  "guides/client/errors",
  "guides/server",
  "api/operations/DeleteItem",
  "api/client",
  "api/client/functions/createPlatformClient",
  "api/server/interfaces/PlatformOptions",
  "errors",
  "errors/VERSION_CONFLICT",
  "operate/backup",
  "security",
  "changelog/client",
  "internals/decisions",
] as const;
