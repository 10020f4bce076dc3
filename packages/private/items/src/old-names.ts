/** Fields that are no secret, in contents without types. Every other one is masked: the program that wrote it chose its name. */
const shownNames = new Set(
  "username user email name first_name last_name company phone url website host hostname port expires expiry brand holder cardholder type".split(
    " ",
  ),
);

/** Returns the type of a field that has only a name. */
export function typeOfName(name: string): "text" | "secret" | "url" | "email" | "phone" {
  const lower = name.toLowerCase();
  if (lower === "website") return "url";
  if (lower === "url" || lower === "email" || lower === "phone") return lower;
  return shownNames.has(lower) ? "text" : "secret";
}
