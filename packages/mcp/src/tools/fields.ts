import * as z from "zod";

/** Ids have no characters that could change the text of a question to the person. */
const id = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/);

export const fields = {
  item: id.describe("The id of the item"),
  vault: id.optional().describe("The id of the vault. Default: the person's only vault"),
  version: z
    .int()
    .min(1)
    .max(4_294_967_295)
    .describe("The version of the item that you saw, from list_items or a previous result"),
};

/** What the server knows of an item, and while it is unlocked what it is called. */
export const itemSummary = z.object({
  itemId: z.string(),
  vaultId: z.string(),
  kind: z.string(),
  version: z.number(),
  deleted: z.boolean(),
  updatedAt: z.string().optional(),
  title: z.string().optional().describe("Only while the vault is unlocked"),
  tags: z.array(z.string()).optional(),
  websites: z.array(z.string()).optional().describe("The hosts of its addresses"),
  use: z
    .object({ hosts: z.array(z.string()), as: z.string() })
    .optional()
    .describe(
      "Where http_request can use its secret, and what the broker adds: bearer, basic, header with its name, or query with the name of the parameter. With placeholders, write {{name}} in headers or the body for the field of that name",
    ),
  isVerified: z
    .boolean()
    .optional()
    .describe("Whether the person, or a program that they have certified, has signed the content"),
  notCurrent: z.string().optional().describe("Why this computer does not accept the content as current, and its title"),
});
