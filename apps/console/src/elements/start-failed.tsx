import { ErrorMessage } from "./error-message.js";

/** What the page shows if it cannot start. */
export function StartFailed({ error }: { readonly error: unknown }) {
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
