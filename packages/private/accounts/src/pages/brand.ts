/** What the product is called, in every title and text that a person reads. */
export const brandName = "Platform";
