import * as z from "zod";

/** The schema of base64url without padding, by its number of characters. */
export const base64url = (least: number, most = least) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]*$/)
    .min(least)
    .max(most);
