import { defineCollection } from "@platform-rpc/server/host";
import * as z from "zod";

const deviceStart = z.object({
  tenantId: z.string(),
  deviceCodeHash: z.string(),
  oauthClientId: z.string(),
  /** The network address that started it. */
  address: z.string(),
  /** What the device calls itself. */
  name: z.string().optional(),
  /** Whether its tokens can be renewed without asking again. */
  renewable: z.boolean(),
  /** When its codes expire, in milliseconds since the epoch. */
  expiresAt: z.number(),
});

/** How a device authorization was started. Authorizations that an administrator started have none. */
export type DeviceStart = z.infer<typeof deviceStart>;

export const deviceStarts = defineCollection<DeviceStart>("device-start", {
  schema: deviceStart.parse,
  keyOf: ({ tenantId, deviceCodeHash: key }) => ({ tenantId, key }),
  ownerOf: ({ oauthClientId }) => ({ oauthClientId }),
  expiresAt: ({ expiresAt }) => expiresAt,
  immutable: true,
});

/**
 * Returns what a device calls itself: the first words of the first comment in the `User-Agent` of its program, as in
 * `platform-cli/1.4.0 (ada-laptop; linux)`. Undefined unless the first comment begins with a name.
 *
 * @see RFC 9110 section 10.1.5
 */
export function deviceName(userAgent = ""): string | undefined {
  const [, name] = /^[^(]*\(([A-Za-z0-9][A-Za-z0-9 ._-]{0,59})[;)]/.exec(userAgent) ?? [];
  return name?.trim();
}
