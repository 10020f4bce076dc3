import { createContext, useContext } from "react";
import type { Calls } from "./calls.js";
import type { ConsoleSession } from "./session.js";

/** What every part of the console shares. */
export interface ConsoleParts {
  readonly session: ConsoleSession;
  readonly calls: Calls;
}

export const ConsoleContext = createContext<ConsoleParts | undefined>(undefined);

/** Returns the session and the calls. @throws TypeError outside of the context */
export function useConsole(): ConsoleParts {
  const parts = useContext(ConsoleContext);
  if (parts === undefined) throw new TypeError("useConsole needs a ConsoleContext.");
  return parts;
}
