/** Set by the build of each program. */
declare const PROGRAM_VERSION: string | undefined;

/** The version of the program that contains this code. */
export const version: string = typeof PROGRAM_VERSION === "string" ? PROGRAM_VERSION : "0.0.0";
