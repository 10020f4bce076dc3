import { Link } from "../elements/link.js";
import { Ago } from "../elements/moment.js";
import { networkInWords } from "./network-in-words.js";
import { useAccess } from "./sign-ins.js";

/** How often the page asks for new sign-ins, in milliseconds. */
const everyMs = 60_000;

/** Announces each sign-in on a new device, until the person says that they know the device. */
export function NewSignIns() {
  const { listed, knowing } = useAccess(everyMs);
  const trusted = listed.data?.sessions.some((session) => session.current && session.trusted);
  return (
    <div role="status">
      {listed.data?.newDevices.map(({ id, device, address, signedInAt }) => (
        <div key={id} className="banner asks">
          <span>
            New sign-in: <strong>{device}</strong>, <Ago at={new Date(signedInAt)} />, from {networkInWords(address)}.
          </span>
          <Link to="/security" hash="sessions">
            Check it
          </Link>
          {trusted && (
            <button type="button" data-change disabled={knowing.isPending} onClick={() => knowing.mutate(id)}>
              It was me
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
