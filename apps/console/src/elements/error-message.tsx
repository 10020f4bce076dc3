import { type Explanation, explain } from "./explain.js";

/** Shows an error. Its reason, its request id and the page that explains it unfold. Empty without an error. */
export function ErrorMessage({ error }: { readonly error: unknown }) {
  return (
    <div role="alert">
      {error != null && (
        <div className="notice failed">
          <ErrorWords error={error} />
        </div>
      )}
    </div>
  );
}

/** What an error means for a person. What support needs unfolds. */
export function ErrorWords({ error }: { readonly error: unknown }) {
  const { message, reference, technical } = explain(error);
  return (
    <>
      <p>{message}</p>
      {reference && (
        <details>
          <summary>Details for support</summary>
          <Reference {...reference} />
          {technical !== undefined && <p className="hint">{technical}</p>}
        </details>
      )}
    </>
  );
}

function Reference({ reason, requestId, docsUrl }: NonNullable<Explanation["reference"]>) {
  return (
    <p>
      {reason !== "" && (
        <>
          Reason <code>{reason}</code>
          {requestId === "" ? "." : ", "}
        </>
      )}
      {requestId !== "" && (
        <>
          request <code>{requestId}</code>.{" "}
        </>
      )}
      {docsUrl !== undefined && (
        <a href={docsUrl} rel="noreferrer" target="_blank">
          What to do about {reason}
        </a>
      )}
    </p>
  );
}
