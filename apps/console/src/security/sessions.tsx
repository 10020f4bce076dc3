import { Moment } from "../elements/moment.js";
import type { EndedAccess, ListedSession } from "./sign-ins.js";
import { SignOutEverywhere } from "./sign-out-everywhere.js";

export interface SectionProps {
  readonly busy: boolean;
  readonly onEnd: (access: EndedAccess) => void;
}

interface EndButtonProps extends SectionProps {
  readonly access: EndedAccess;
  /** What the button does, such as `End`. */
  readonly children: string;
  /** The full name of the button, because a page has several. */
  readonly label: string;
}

function EndButton({ access, busy, onEnd, label, children }: EndButtonProps) {
  return (
    <button type="button" id={endButtonId(access.id)} aria-label={label} disabled={busy} onClick={() => onEnd(access)}>
      {children}
    </button>
  );
}

export function endButtonId(id: string): string {
  return `end-${id}`;
}

/** Where the person is signed in. This session is ended by signing out. */
export function Sessions({ sessions, ...section }: SectionProps & { readonly sessions: readonly ListedSession[] }) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul className="card entries">
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
      <SignOutEverywhere />
    </section>
  );
}
