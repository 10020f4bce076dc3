/** The version of the package, set by the build. */
declare const CLIENT_VERSION: string | undefined;

/** The name and version of this package, as sent to the server. */
export const clientName: string = `platform-rpc-client/${typeof CLIENT_VERSION === "string" ? CLIENT_VERSION : "dev"}`;
