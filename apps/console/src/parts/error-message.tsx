import { explain } from "./explain.js";

/** Shows an error with its reason, its request id and the page that explains it. Empty without an error. */
export function ErrorMessage({ error }: { readonly error: unknown }) {
  const shown = error == null ? undefined : explain(error);
  return (
    <div role="alert">
      {shown && (
        <div className="notice failed">
          <p>{shown.message}</p>
          {shown.platform && (
            <p className="hint">
              Reason <code>{shown.platform.reason}</code>, request <code>{shown.platform.requestId}</code>.{" "}
              <a href={shown.platform.docsUrl} rel="noreferrer" target="_blank">
                What to do about {shown.platform.reason}
              </a>
            </p>
          )}
        </div>
      )}
    </div>
  );
}
