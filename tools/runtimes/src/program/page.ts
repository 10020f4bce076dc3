export { callUntilLimited, callWithoutRetry } from "./page-calls.ts";
export { makeProofKey, proveWithKeptKey } from "./page-proof-key.ts";
export { tell } from "./tell.ts";
