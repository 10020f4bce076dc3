import { Link } from "../elements/link.js";
import { Ago } from "../elements/moment.js";
import { networkInWords } from "./network-in-words.js";
import { useAccess } from "./sign-ins.js";

const everyMs = 60_000;

/** Announces the last sign-in on a new device, and how many there are before, until the person says that they know the device. */
export function NewSignIns() {
  const { listed, knowing } = useAccess(everyMs);
  const trusted = listed.data?.sessions.some((session) => session.current && session.trusted);
  const newest = listed.data?.newDevices.toSorted((one, two) => two.signedInAt.localeCompare(one.signedInAt)) ?? [];
  return (
    <div role="status">
      {newest.slice(0, 1).map(({ id, device, address, signedInAt }) => (
        <div key={id} className="banner asks">
          <span>
            New sign-in: <strong>{device}</strong>, <Ago at={new Date(signedInAt)} />, from {networkInWords(address)}
            {newest.length > 1 && `, and ${newest.length - 1} before it`}.
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
