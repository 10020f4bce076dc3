import type { Place } from "./place.ts";

/** Places of the parts of an option, by their JSON names. A list has one place. */
export type OptionPlaces = Readonly<Record<string, Place>>;

/** What has a place, a comment, and may be deprecated. */
interface Documented {
  readonly place: Place;
  /** The leading comment as CommonMark, one line for each paragraph, with fields in their JSON spelling. For people only. */
  readonly comment: string;
  /** Whether protobuf's `deprecated` option is set. */
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
}

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
  /** Where each limit is set. */
  readonly limitPlaces: OptionPlaces;
  readonly requestHeaders: readonly Header[];
  readonly responseHeaders: readonly Header[];
}

export interface Header {
  readonly place: Place;
  readonly name: string;
  readonly description: string;
  readonly everyCall: boolean;
  readonly required: boolean;
  readonly const: string | undefined;
  readonly pattern: string | undefined;
  readonly minLength: number;
  readonly maxLength: number | undefined;
  readonly example: string | undefined;
}

export interface Service extends Documented {
  readonly name: string;
  readonly package: string;
  /** Names of its operations. */
  readonly operations: readonly string[];
}

export interface Operation extends Documented {
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
  readonly visibility: "unspecified" | "public" | "private";
  readonly requiredScopes: readonly string[];
  readonly retrySafety: "unspecified" | "idempotent" | "with_key" | "none";
  readonly deprecation: { readonly deprecatedOn: string; readonly sunsetOn: string } | undefined;
  readonly errors: readonly { readonly reason: string; readonly when: string | undefined }[];
  readonly rate: { readonly perMinute: number; readonly burst: number } | undefined;
  /** Names of request headers besides those of every call. */
  readonly headers: readonly string[];
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
  /** JSON names of its fields. */
  readonly fields: readonly string[];
  /** Whether buf.validate.oneof requires one of them. */
  readonly required: boolean;
}

export interface Field extends Documented {
  /** In proto spelling and in JSON spelling. */
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  readonly type: FieldType;
  readonly shape: "singular" | "optional" | "repeated" | "map";
  /** The scalar type of the keys of a map. */
  readonly keyType: string | undefined;
  /** The name of its oneof. */
  readonly oneof: string | undefined;
  /** Whether `debug_redact` marks it as a secret. */
  readonly secret: boolean;
  readonly documentedValues: readonly string[];
  readonly absentUntil: string | undefined;
  /** A typical value: the text of a string (`""` if it is empty), otherwise JSON. */
  readonly example: string | undefined;
  /** buf.validate.field, flattened: `{"string.max_len": 128, "repeated.items.string.min_len": 1}`. */
  readonly rules: Rules;
}

/** `{kind: "scalar", name: "uint32"}`, `{kind: "message", name: "platform.v1.Item"}`, `{kind: "enum", name: …}`. */
export interface FieldType {
  readonly kind: "scalar" | "message" | "enum";
  readonly name: string;
}

/** Flattened options with sorted keys. 64-bit numbers are numbers when they are safe integers. */
export type Rules = Readonly<Record<string, string | number | boolean | readonly (string | number | boolean)[]>>;

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

export interface Reason {
  /** As Connect spells it: `not_found`. */
  readonly code: string;
  readonly httpStatus: number;
  readonly message: string;
  readonly title: string;
  readonly causes: readonly string[];
  readonly remedies: readonly string[];
  /** Full names of messages. */
  readonly details: readonly string[];
  /** Names of response headers. */
  readonly headers: readonly string[];
  readonly everyCall: boolean;
  readonly neverSent: boolean;
  readonly optionPlaces: OptionPlaces;
}

export interface Extension extends Documented {
  readonly name: string;
  readonly extendee: string;
  readonly number: number;
  readonly type: FieldType;
}
