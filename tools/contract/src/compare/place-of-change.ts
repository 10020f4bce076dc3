import type { Kind } from "../lock/lock.ts";
import type { Contract } from "../model/contract.ts";
import { type Place, startOf } from "../model/place.ts";
import type { Change } from "./change.ts";

/** Returns the place to report a change at. A removed part is reported at the part that contained it, or at the lock. */
export function placeOfChange({ kind, name, property = "" }: Change, contract: Contract): Place {
  return placeOf(kind, name, property, contract) ?? startOf("proto/contract.lock.json");
}

function placeOf(kind: Kind, name: string, property: string, contract: Contract): Place | undefined {
  const parent = name.slice(0, name.lastIndexOf("."));
  const member = name.slice(parent.length + 1);
  const message = contract.messages.get(parent);
  switch (kind) {
    case "packages": {
      const found = contract.packages.get(name);
      return found?.limitPlaces[property.replace(/^limits\./, "")] ?? found?.place;
    }
    case "headers": {
      const [packageName = "", direction, header] = name.split(" ");
      const found = contract.packages.get(packageName);
      const headers = direction === "request" ? found?.requestHeaders : found?.responseHeaders;
      return (headers?.find((each) => each.name === header) ?? headers?.[0] ?? found)?.place;
    }
    case "services":
      return contract.services.get(name)?.place;
    case "operations": {
      const found = contract.operations.get(name);
      const part = property.replace(/\..*/, "").replace(/On$/, "");
      const option = found?.optionPlaces[part === "sunset" || part === "deprecated" ? "deprecation" : part];
      return option ?? found?.place ?? contract.services.get(name.replace(/\/.*/, ""))?.place;
    }
    case "messages":
      return contract.messages.get(name)?.place;
    case "fields":
      return message?.fields.find(({ jsonName }) => jsonName === member)?.place ?? message?.place;
    case "oneofs":
      return message?.oneofs.find((oneof) => oneof.name === member)?.place ?? message?.place;
    case "enums":
      return contract.enums.get(name)?.place;
    case "values": {
      const found = contract.enums.get(parent);
      const value = found?.values.find(({ localName }) => localName === member);
      return value?.reason?.optionPlaces[property] ?? value?.place ?? found?.place;
    }
    case "extensions":
      return contract.extensions.get(name)?.place;
  }
}
