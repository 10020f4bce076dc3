import { hash } from "node:crypto";
import type { Call } from "@platform-rpc/server";
import type { AccountsParts } from "../http/environment.js";
import { RequestError } from "../http/request-error.js";
import { type Device, devices, isTrusted } from "../people/device.js";
import type { Session, SignedIn } from "../people/session.js";

/** How many devices of a person are remembered. A new one takes the place of the one that was not used for the longest time. */
const mostDevices = 100;

type Person = Pick<Session, "tenantId" | "principalId">;

/** Creates the store of the browsers in which people have signed in. It contains only the hashes of their cookies. */
export function createDeviceStore({ own, clock }: Pick<AccountsParts, "own" | "clock">) {
  const list = async ({ tenantId, principalId }: Person) => {
    // What has expired is still listed for a while.
    const listed = await own.listRecords({ collection: devices.name, tenantId, principalId, limit: 5 * mostDevices });
    return listed.flatMap((record) => ((record.expiresAt ?? 0) > clock.now() ? (devices.open(record) ?? []) : []));
  };

  return {
    list,

    /** Returns the id of the browser with a cookie, what is written with its sign-in, and whether it is the first one of the person there. */
    async signIn(cookie: string, signedIn: Omit<SignedIn, "deviceId">, call: Call) {
      const { principalId, tenantId, browser, address } = signedIn;
      const deviceId = hash("sha256", JSON.stringify([cookie, principalId]), "base64url");
      const found = devices.open(await own.getRecord(devices.key(tenantId, deviceId), call));
      const now = clock.now();
      if (found !== undefined) {
        return { deviceId, isNew: false, puts: [found.replace({ ...found.value, browser, lastSignInAt: now })] };
      }
      const others = (await list(signedIn)).sort((one, two) => one.value.lastSignInAt - two.value.lastSignInAt);
      const times = { firstSignInAt: now, lastSignInAt: now };
      const made: Device = { tenantId, deviceId, principalId, browser, address, ...times };
      // Nobody could be told about the first one.
      const created = devices.create(others.length === 0 ? { ...made, known: true } : made, now);
      const surplus = others.slice(0, Math.max(0, others.length + 1 - mostDevices));
      // Not in the step of the sign-in: two sign-ins at once remove the same devices, and one of them would fail.
      await Promise.all(surplus.map((other) => own.putRecord(other.remove(), call)));
      return { deviceId, isNew: true, puts: [created] };
    },

    /**
     * Changes what the person says about one of their devices.
     *
     * @throws RequestError if there is no such device, if the session is on a device that is not trusted, if a device says of itself
     * that it is known, or if it was changed at the same time
     */
    async change({ principalId, deviceId }: Session, id: string, change: Pick<Device, "name" | "known">, call: Call) {
      const { tenantId } = call.actor;
      const read = async (of: string) => devices.open(await own.getRecord(devices.key(tenantId, of), call));
      const [current, found] = await Promise.all([read(deviceId), read(id)]);
      const mayChange = isTrusted(current?.value, clock.now()) && !(change.known && id === deviceId);
      const isRefused = found?.value.principalId !== principalId || !mayChange;
      if (found === undefined || isRefused) throw new RequestError("ACCOUNT_CHANGED");
      if (!(await own.putRecord(found.replace({ ...found.value, ...change }), call)).ok) {
        throw new RequestError("ACCOUNT_CHANGED");
      }
    },
  };
}
