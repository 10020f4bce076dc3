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
