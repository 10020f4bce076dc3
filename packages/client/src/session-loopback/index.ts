export type { RenewableSession } from "../session/renewable-session.js";
export type { SessionOptions } from "../session/session-options.js";
export {
  type BrowserLoginOptions,
  type BrowserLoginPrompt,
  createBrowserSession,
} from "./create-browser-session.js";
