import { Moment } from "../parts/moment.js";
import type { ListedSession } from "./access.js";
import { EndButton, type SectionProps } from "./end-button.js";

/** Where the person is signed in. This session is ended by signing out, on the account page. */
export function Sessions({ sessions, ...section }: SectionProps & { readonly sessions: readonly ListedSession[] }) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul className="plain entries">
        {sessions.map(({ id, current, browser, address, how, signedInAt, lastSeenAt }) => (
          <li key={id}>
            <div>
              <h3>
                {browser}
                {current && " (this session)"}
              </h3>
              <p className="hint">
                From {address}. Signed in with a {how} <Moment at={signedInAt} />, last seen <Moment at={lastSeenAt} />.
              </p>
            </div>
            {!current && (
              <EndButton
                access={{ kind: "session", id, done: `The session of ${browser} has ended.` }}
                label={`End the session of ${browser}, signed in ${signedInAt}`}
                {...section}
              >
                End
              </EndButton>
            )}
          </li>
        ))}
      </ul>
      <p>
        To sign out here, or everywhere, use <a href="/account">your account</a>.
      </p>
    </section>
  );
}
