import "./style.css";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { ErrorMessage } from "./elements/error-message.js";
import { Pages } from "./router.js";
import { ConsoleContext, createMembers } from "./session/console-context.js";
import { isKeptPage } from "./session/is-kept-page.js";
import { openSession } from "./session/open-session.js";
import type { ConsoleSession } from "./session/session.js";

const container = document.getElementById("root");
if (container === null) throw new TypeError("The page has no element with the id root.");
const root = createRoot(container);
// Not awaited here: the parts that are loaded later import this script, and would wait for it.
start().catch((error: unknown) => root.render(<StartFailed error={error} />));

async function start(): Promise<void> {
  // No page, and nothing that a page asks for, is there before the browser is unlocked.
  const kept = isKeptPage() ? await import("./offline/kept-page.js") : undefined;
  const { session, token, current } =
    (await kept?.openKeptSession((page) => root.render(page))) ?? (await openSession());
  const members = createMembers(token);
  const show = (session: ConsoleSession) =>
    startTransition(() =>
      root.render(
        <ConsoleContext value={{ session, members }}>
          <Pages />
        </ConsoleContext>,
      ),
    );
  show(session);
  // The person may have another name by now. Without an answer, what the browser has kept stays readable.
  const newer = await current?.catch(() => undefined);
  if (newer !== undefined && JSON.stringify(newer) !== JSON.stringify(session)) show(newer);
}

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
