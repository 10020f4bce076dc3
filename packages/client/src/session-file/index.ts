export type { SessionStore, StoredSession } from "../session/session-store.js";
export { createFileSessionStore } from "./create-file-session-store.js";
