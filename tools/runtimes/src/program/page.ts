export { callUntilLimited, callWithoutRetry, sentIds } from "./page-calls.ts";
export { makeProofKey, proveWithKeptKey } from "./page-proof-key.ts";
export { runProgram } from "./run-program.ts";
