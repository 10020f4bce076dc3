/** The value of a field on the wire: an integer, or bytes. */
type WireValue = number | Uint8Array;

/** Reads the value of a field, which is untrusted input. */
export type WireReader = (value: WireValue) => unknown;

/** The fields of a message by number: the name in JSON, how the value is read, and whether there is a list of them. */
interface WireFields {
  readonly [number: number]: readonly [name: string, read: WireReader, many?: "many"];
}

export const wireText: WireReader = (value) => new TextDecoder().decode(bytesOf(value));
export const wireNumber: WireReader = Number;
export const wireFlag: WireReader = Boolean;

/** Reads a message in the binary format of protobuf. Ignores unknown fields. @throws for malformed bytes. */
export function wireMessage(fields: WireFields): (value: WireValue) => Record<string, unknown> {
  return (value) => {
    const bytes = bytesOf(value);
    const result: Record<string, unknown> = {};
    let at = 0;
    const take = (length: number) => {
      if (!(length >= 0 && at + length <= bytes.length)) throw new RangeError();
      at += length;
      return bytes.subarray(at - length, at);
    };
    const varint = () => {
      let number = 0n;
      for (let shift = 0n; shift < 70n; shift += 7n) {
        const [byte = 0] = take(1);
        number |= BigInt(byte & 127) << shift;
        if (byte < 128) return Number(BigInt.asIntN(64, number));
      }
      throw new RangeError();
    };
    while (at < bytes.length) {
      const tag = varint();
      const type = tag & 7;
      // 1 and 5 have a fixed length. Nothing else is in use: take fails.
      const one = type === 0 ? varint() : take(type === 2 ? varint() : type === 1 ? 8 : type === 5 ? 4 : -1);
      const [name, read, many] = fields[tag >>> 3] ?? [];
      if (name === undefined || read === undefined) continue;
      const before = result[name];
      if (Array.isArray(before)) before.push(read(one));
      else result[name] = many ? [read(one)] : read(one);
    }
    return result;
  };
}

function bytesOf(value: WireValue): Uint8Array {
  if (typeof value === "number") throw new TypeError();
  return value;
}
