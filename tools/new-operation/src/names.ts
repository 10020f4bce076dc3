/** Returns `list-items` for `ListItems`. */
export function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
}

/** Returns `list_items` for `ListItems`. */
export function snake(name: string): string {
  return kebab(name).replaceAll("-", "_");
}

/** Returns `listItems` for `ListItems`. */
export function camel(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}
