import { Moment } from "../parts/moment.js";
import type { EndedAccess, ListedSession, ListedSoftware } from "./access.js";

/** What every section of the page can do. */
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

/** The software that acts for the person. */
export function Software({ software, ...section }: SectionProps & { readonly software: readonly ListedSoftware[] }) {
  return (
    <section aria-labelledby="software">
      <h2 id="software">Software that acts for you</h2>
      {software.length === 0 && (
        <p>
          None. Software asks for access with a code: run <code>platform login</code>, or connect an agent. What you
          approve then appears here, and you can end it at any time.
        </p>
      )}
      <ul className="plain entries">
        {software.map((one) => (
          <li key={one.id}>
            <div>
              <h3>{one.name}</h3>
              <ul className="scopes">
                {one.scopes.map(({ scope, words }) => (
                  <li key={scope}>
                    {words} <code>{scope}</code>
                  </li>
                ))}
              </ul>
              <p className="hint">
                Client <code>{one.oauthClientId}</code>. Approved <Moment at={one.approvedAt} />,{" "}
                {one.renewedAt === undefined ? (
                  <>
                    ends <Moment at={one.endsAt} />: its {tokensOf(one)} cannot be renewed.
                  </>
                ) : (
                  <>
                    last renewed <Moment at={one.renewedAt} />, ends <Moment at={one.endsAt} />. Its {tokensOf(one)}{" "}
                    must be renewed by <Moment at={one.tokensEndAt} />.
                  </>
                )}
              </p>
            </div>
            <EndButton
              access={{
                kind: one.kind,
                id: one.id,
                done: `The access of ${one.name} has ended. Its tokens no longer work.`,
              }}
              label={`End access of ${one.name}, approved ${one.approvedAt}`}
              {...section}
            >
              End access
            </EndButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function tokensOf({ hasBrokerToken }: ListedSoftware): string {
  return hasBrokerToken ? "access token and broker token" : "access token";
}
