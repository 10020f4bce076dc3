import type { Call } from "@platform-rpc/server";
import * as z from "zod";
import type { AccountsParts } from "../http/environment.js";

/** How a device authorization was started. Authorizations that an administrator started have none. */
export interface DeviceStart {
  /** The network address that started it. */
  readonly address: string;
  /** Whether its tokens can be renewed without asking again. */
  readonly renewable: boolean;
}

const collection = "device-start";
const value = z.object({ address: z.string(), renewable: z.boolean() });

/** Stores how a device authorization was started, until its codes expire. */
export async function rememberDeviceStart(
  { own, clock }: Pick<AccountsParts, "own" | "clock">,
  authorization: {
    readonly deviceCodeHash: string;
    readonly tenantId: string;
    readonly oauthClientId: string;
    readonly expiresAt: number;
  },
  start: DeviceStart,
  call: Call,
): Promise<void> {
  const { deviceCodeHash: key, tenantId, oauthClientId, expiresAt } = authorization;
  const owner = { tenantId, principalId: "", oauthClientId };
  const record = { collection, key, ...owner, value: JSON.stringify(start), createdAt: clock.now(), expiresAt };
  await own.putRecord({ record, expectedRevision: 0 }, call);
}

/** Returns how a device authorization was started; undefined if an administrator started it. */
export async function readDeviceStart(
  { own, tenantId }: Pick<AccountsParts, "own" | "tenantId">,
  deviceCodeHash: string,
  call: Call,
): Promise<DeviceStart | undefined> {
  const record = await own.getRecord({ tenantId, collection, key: deviceCodeHash }, call);
  return record === undefined ? undefined : value.parse(JSON.parse(record.value));
}
