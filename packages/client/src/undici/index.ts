export type { UndiciFetchOptions } from "./create-undici-fetch.js";
export { createUndiciFetch } from "./create-undici-fetch.js";
