import { defineCollection } from "@platform-rpc/server/host";
import * as z from "zod";
import { personalName } from "./account.js";

/** How long a browser is remembered after its last sign-in, in seconds: as long as browsers keep a cookie. */
export const rememberedSeconds = 400 * 24 * 60 * 60;

/** A browser in which a person has signed in. Times are in milliseconds since the epoch. */
const device = z.object({
  tenantId: z.string(),
  /** The SHA-256 of its cookie and the person: for somebody else, the same browser has another id. */
  deviceId: z.string(),
  principalId: z.string(),
  /** As the person calls it. Undefined: as its browser and system are called. */
  name: personalName.optional(),
  /** The browser and system, such as `Firefox on Linux`. */
  browser: z.string(),
  /** The network address of its first sign-in. */
  address: z.string(),
  firstSignInAt: z.number(),
  lastSignInAt: z.number(),
  /** Set when the person has confirmed it on another device, and for the first one. */
  known: z.literal(true).optional(),
});

export type Device = z.infer<typeof device>;

/** When a device may confirm and rename devices without having been confirmed itself, in milliseconds after its first sign-in. */
const trustedAfterMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Returns whether a device may confirm and rename devices. Without the time limit, a person who has lost all known devices could never
 * confirm one again.
 */
export function isTrusted(device: Device | undefined, now: number): boolean {
  return device !== undefined && (device.known === true || now - device.firstSignInAt >= trustedAfterMs);
}

export const devices = defineCollection<Device>("device", {
  schema: device.loose().parse,
  keyOf: ({ tenantId, deviceId: key }) => ({ tenantId, key }),
  ownerOf: ({ principalId }) => ({ principalId }),
  expiresAt: ({ lastSignInAt }) => lastSignInAt + 1000 * rememberedSeconds,
});
