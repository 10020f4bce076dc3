import type { JsonObject } from "@bufbuild/protobuf";
import type { Place } from "./finding.ts";
import type { Option, Rules } from "./options.ts";

/** Places of the parts of an option, by their JSON names. A list has one place. */
export type OptionPlaces = Readonly<Record<string, Place>>;

export interface Documented {
  readonly place: Place;
  /** The leading comment as CommonMark, one line for each paragraph, with fields in their JSON spelling. For people only. */
  readonly comment: string;
  readonly deprecated: boolean;
}

/**
 * The contract as plain data: everything that lint, comparison and rendering need, read once from a buf image. Maps are
 * keyed by full names (`platform.v1.Item`), in the order of the files.
 */
export interface Contract {
  readonly packages: ReadonlyMap<string, Package>;
  readonly services: ReadonlyMap<string, Service>;
  /** By `platform.v1.VaultService/DeleteItem`. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Nested messages included, map entries not. */
  readonly messages: ReadonlyMap<string, Message>;
  readonly enums: ReadonlyMap<string, Enum>;
  /** Extensions that the contract itself defines, by full name. */
  readonly extensions: ReadonlyMap<string, Extension>;
  /** The buf image that it was read from. */
  readonly image: Uint8Array;
  /** Encodes the JSON of a message. @throws TypeError when the contract does not contain the message. */
  readonly encode: Encode;
}

export type Encode = (message: string, json: JsonObject) => Uint8Array;

/** A protobuf package, such as `platform.v1`. */
export interface Package extends Documented {
  readonly name: string;
  /** Paths of its files, from the root of the workspace, with the packages and files that each imports. */
  readonly files: readonly {
    readonly path: string;
    readonly imports: readonly { readonly file: string; readonly package: string; readonly place: Place }[];
  }[];
  /** Whether integrators get it: `platform.v<n>` and what it imports. */
  readonly published: boolean;
  /** The default limits, when the package has the option (platform.options.v1.limits). */
  readonly limits: Readonly<Record<string, number>> | undefined;
  readonly limitPlaces: OptionPlaces;
  readonly requestHeaders: readonly Header[];
  readonly responseHeaders: readonly Header[];
}

export type Header = Option<"headers">["request"][number] & { readonly place: Place };

export interface Service extends Documented {
  readonly name: string;
  readonly package: string;
  readonly operations: readonly string[];
}

export interface Operation extends Documented, Option<"operation">, Option<"call"> {
  /** `platform.v1.VaultService/DeleteItem`. */
  readonly name: string;
  readonly package: string;
  readonly service: string;
  readonly method: string;
  readonly request: string;
  readonly response: string;
  readonly streaming: boolean;
  /** protobuf's `idempotency_level`. */
  readonly idempotency: "unknown" | "no_side_effects" | "idempotent";
  /** Where the parts of its options are written: `visibility`, `requiredScopes`, `errors`, `rate` and so on. */
  readonly optionPlaces: OptionPlaces;
}

export interface Message extends Documented {
  readonly name: string;
  readonly package: string;
  /** Whether callers send it, alone or inside a request; whether they receive it. */
  readonly sent: boolean;
  readonly received: boolean;
  readonly fields: readonly Field[];
  /** Real oneofs, not the synthetic ones of proto3 `optional`. */
  readonly oneofs: readonly Oneof[];
  /** buf.validate.message, flattened: `{"cel[0].expression": "…"}`. */
  readonly rules: Rules;
}

export interface Oneof {
  readonly name: string;
  readonly place: Place;
  readonly fields: readonly string[];
  /** Whether buf.validate.oneof requires one of them. */
  readonly required: boolean;
}

export interface Field extends Documented, Option<"field"> {
  /** In proto spelling and in JSON spelling. */
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  readonly type: FieldType;
  readonly shape: "singular" | "optional" | "repeated" | "map";
  /** The scalar type of the keys of a map. */
  readonly keyType: string | undefined;
  readonly oneof: string | undefined;
  /** Whether `debug_redact` marks it as a secret. */
  readonly secret: boolean;
  /** buf.validate.field, flattened: `{"string.max_len": 128, "repeated.items.string.min_len": 1}`. */
  readonly rules: Rules;
}

/** `{kind: "scalar", name: "uint32"}`, `{kind: "message", name: "platform.v1.Item"}`, `{kind: "enum", name: …}`. */
export interface FieldType {
  readonly kind: "scalar" | "message" | "enum";
  readonly name: string;
}

export interface Enum extends Documented {
  readonly name: string;
  readonly package: string;
  readonly values: readonly EnumValue[];
}

export interface EnumValue extends Documented {
  readonly name: string;
  /** Without the prefix of the enum: `VAULT_NOT_FOUND`. */
  readonly localName: string;
  readonly number: number;
  /** Of an error reason: its option (platform.options.v1.reason). */
  readonly reason: Reason | undefined;
}

export interface Reason extends Option<"reason"> {
  readonly optionPlaces: OptionPlaces;
}

export interface Extension extends Documented {
  readonly name: string;
  readonly extendee: string;
  readonly number: number;
  readonly type: FieldType;
}
