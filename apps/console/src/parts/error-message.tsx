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
              <ErrorReference error={error} />
            </p>
          )}
        </div>
      )}
    </div>
  );
}

/** The reason, the request id and the page of an error; of an error that is not the platform's, its message. */
export function ErrorReference({ error }: { readonly error: unknown }) {
  const { message, platform } = explain(error);
  if (platform === undefined) return message;
  const { reason, requestId, docsUrl } = platform;
  return (
    <>
      Reason <code>{reason}</code>, request <code>{requestId}</code>.{" "}
      <a href={docsUrl} rel="noreferrer" target="_blank">
        What to do about {reason}
      </a>
    </>
  );
}
