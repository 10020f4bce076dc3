/** The version of the package, which the build fills in. */
declare const CLIENT_VERSION: string | undefined;

/** Names the SDK and its version to the server. */
export const clientName: string = `platform-rpc-client/${typeof CLIENT_VERSION === "string" ? CLIENT_VERSION : "dev"}`;
