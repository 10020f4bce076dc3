import "./style.css";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { ErrorMessage } from "./elements/error-message.js";
import { Pages } from "./router.js";
import { ConsoleContext, createCalls } from "./session/console-context.js";
import { isKeptPage } from "./session/is-kept-page.js";
import { openSession } from "./session/session.js";

const container = document.getElementById("root");
if (container === null) throw new TypeError("The page has no element with the id root.");
const root = createRoot(container);
// Not awaited here: the parts that are loaded later import this script, and would wait for it.
start().catch((error: unknown) => root.render(<StartFailed error={error} />));

async function start(): Promise<void> {
  // No page, and nothing that a page asks for, is there before the browser is unlocked.
  const kept = isKeptPage() ? await import("./offline/kept-page.js") : undefined;
  const { session, token } = (await kept?.openKeptSession((page) => root.render(page))) ?? (await openSession());
  const calls = createCalls(token);
  startTransition(() =>
    root.render(
      <ConsoleContext value={{ session, calls }}>
        <Pages />
      </ConsoleContext>,
    ),
  );
}

/** What the page shows if it cannot start. */
function StartFailed({ error }: { readonly error: unknown }) {
  return (
    <div className="content">
      <main>
        <h1>Your vault</h1>
        <ErrorMessage error={error} />
        <button type="button" className="primary" onClick={() => location.reload()}>
          Try again
        </button>
      </main>
    </div>
  );
}
