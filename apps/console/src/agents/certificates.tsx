import type { Certificate } from "@platform-rpc/items/unlock/certificate";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../elements/error-message.js";
import { Moment, momentInWords } from "../elements/moment.js";
import { Sheet } from "../elements/sheet.js";
import { isTooOld, SignInAgain } from "../elements/sign-in-again.js";
import { listCertificates, removeCertificate } from "../opening/certified-programs.js";
import { useConsole } from "../session/console-context.js";

/** A program that the person has certified, as the server says. Times are in ISO 8601. */
interface ListedProgram extends Certificate {
  readonly certifiedAt: string;
  /** When it last got keys of vaults. */
  readonly unlockedAt: string;
  /** What its device called itself then. Absent: it has no name. */
  readonly device?: string;
}

const queryKey = ["certificates"];

/** The programs whose items count as written by the person, and how to remove one. Nothing if there are none. */
export function Certificates() {
  const client = useQueryClient();
  const { session } = useConsole();
  const [asking, setAsking] = useState<ListedProgram>();
  const heading = useRef<HTMLHeadingElement>(null);
  const listed = useQuery({
    queryKey,
    queryFn: () => listCertificates<ListedProgram>(session),
    staleTime: 0,
  });
  const removing = useMutation({
    mutationFn: ({ signingKey }: ListedProgram) => removeCertificate(signingKey, session),
    onSettled: () => {
      // Below it, the page says what came of it. The button can be far from there, or gone.
      heading.current?.focus();
      return client.invalidateQueries({ queryKey });
    },
  });
  const programs = listed.data ?? [];
  if (programs.length === 0 && !removing.isSuccess) return <ErrorMessage error={listed.error} />;
  return (
    <section aria-labelledby="certificates">
      <h2 id="certificates" ref={heading} tabIndex={-1}>
        Programs that sign for you
      </h2>
      <p>
        When you unlock a program, you certify its signing key: items that it signs count as written by you. A
        certificate has no end. It stays when the program is locked or signed out, so that the items it has written stay
        verified.
      </p>
      <p role="status" className={removing.isSuccess ? "notice good" : ""}>
        {removing.isSuccess && `The certificate of ${nameOf(removing.variables)} is removed.`}
      </p>
      {isTooOld(removing.error) && removing.variables ? (
        <SignInAgain focusId={buttonId(removing.variables)} />
      ) : (
        <ErrorMessage error={removing.error} />
      )}
      <ul className="cards">
        {programs.map((program) => (
          <li key={program.signingKey} className="card">
            <div>
              {program.isCertified ? (
                <>
                  <h3>{nameOf(program)}</h3>
                  <p className="hint">
                    Certified <Moment at={program.certifiedAt} />. Last unlocked <Moment at={program.unlockedAt} />.
                  </p>
                </>
              ) : (
                <>
                  <h3>The server lists a program that you do not certify</h3>
                  <p className="hint">
                    It is called {nameOf(program)}. You have never certified it, or you have removed its certificate:
                    items that it signs are <em>Not verified</em>. Ask the operator of the platform why it is listed.
                  </p>
                </>
              )}
              <details>
                <summary>Details</summary>
                <p className="hint">
                  Signing key (Ed25519) <code translate="no">{program.signingKey}</code>. The name is what the device
                  calls itself.
                </p>
              </details>
            </div>
            {program.isCertified && (
              <div className="actions">
                <button
                  type="button"
                  className="danger"
                  id={buttonId(program)}
                  aria-label={`Remove the certificate of ${nameOf(program)}, certified ${momentInWords(program.certifiedAt)}`}
                  disabled={removing.isPending}
                  onClick={() => setAsking(program)}
                >
                  Remove
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {asking && (
        <Sheet title={`Remove the certificate of ${nameOf(asking)}?`} onClose={() => setAsking(undefined)}>
          <p>
            Items that it signs from now on are <em>Not verified</em>. So are those that it has signed before, until you
            save them again. This cannot be undone: its next unlock needs another key.
          </p>
          <p>
            It keeps its access, and the keys of your vaults until they are locked there. You can remove its access
            above.
          </p>
          <div className="actions">
            <Button className="quiet" onPress={() => setAsking(undefined)}>
              Cancel
            </Button>
            <Button
              className="primary danger"
              onPress={() => {
                setAsking(undefined);
                removing.mutate(asking);
              }}
            >
              Remove
            </Button>
          </div>
        </Sheet>
      )}
    </section>
  );
}

function nameOf({ device }: Pick<ListedProgram, "device">): string {
  return device === undefined ? "Platform CLI" : `Platform CLI on “${device}”`;
}

function buttonId({ signingKey }: ListedProgram): string {
  return `certificate-${signingKey}`;
}
