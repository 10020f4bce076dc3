import { Moment } from "../parts/moment.js";
import type { ListedSoftware } from "./access.js";
import { EndButton, type SectionProps } from "./end-button.js";

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
