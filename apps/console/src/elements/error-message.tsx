import { type Explanation, explain } from "./explain.js";

/** Shows an error with its reason, its request id and the page that explains it. Empty without an error. */
export function ErrorMessage({ error }: { readonly error: unknown }) {
  const { message, reference }: Partial<Explanation> = error == null ? {} : explain(error);
  return (
    <div role="alert">
      {message !== undefined && (
        <div className="notice failed">
          <p>{message}</p>
          {reference && (
            <p className="hint">
              <Reference {...reference} />
            </p>
          )}
        </div>
      )}
    </div>
  );
}

/** The reason, the request id and the page of an error; its message if it is not an error of a server. */
export function ErrorReference({ error }: { readonly error: unknown }) {
  const { message, reference } = explain(error);
  return reference === undefined ? message : <Reference {...reference} />;
}

function Reference({ reason, requestId, docsUrl }: NonNullable<Explanation["reference"]>) {
  return (
    <>
      {reason !== "" && (
        <>
          Reason <code>{reason}</code>,{" "}
        </>
      )}
      request <code>{requestId}</code>.{" "}
      {docsUrl !== undefined && (
        <a href={docsUrl} rel="noreferrer" target="_blank">
          What to do about {reason}
        </a>
      )}
    </>
  );
}
