/**
 * A new random id. Ids need not be secret, only new: `crypto.randomUUID` is missing on pages that are no secure contexts and
 * in Node 18.
 */
export const newId = (): string => {
  return `${Date.now()}-${Math.random()}`;
};
