import "./style.css";
import { RouterProvider } from "@tanstack/react-router";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { loadPartsWhileIdle } from "./elements/part-boundary.js";
import { StartFailed } from "./elements/start-failed.js";
import { router } from "./router.js";
import { ConsoleContext, createCalls } from "./session/console-context.js";
import { openSession } from "./session/session.js";

const container = document.getElementById("root");
if (container === null) throw new TypeError("The page has no element with the id root.");
const root = createRoot(container);
try {
  // A router that finds its page after the first render makes React render it in one step, which keeps a slow device busy.
  const [session] = await Promise.all([openSession(), router.load()]);
  const calls = createCalls(session.apiUrl);
  startTransition(() =>
    root.render(
      <ConsoleContext value={{ session, calls }}>
        <RouterProvider router={router} />
      </ConsoleContext>,
    ),
  );
  void loadPartsWhileIdle();
} catch (error) {
  root.render(<StartFailed error={error} />);
}
