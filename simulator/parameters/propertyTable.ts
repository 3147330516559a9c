// The types of the parameter tables.

/** One parameter, or one key of a property string. */
export interface PropertySchema {
  type?: string | undefined;
  optional?: number | undefined;
  /** Name of a format, or the keys of a property string. */
  format?: string | PropertyTable | undefined;
  pattern?: string | undefined;
  enum?: readonly string[] | undefined;
  minimum?: number | string | undefined;
  maximum?: number | string | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  /** Key whose value this one holds in a property string. */
  alias?: string | undefined;
  /** Key that is set to this one's own name when the alias is used. */
  keyAlias?: string | undefined;
  default_key?: number | undefined;
  /** Another key that has to be given as well. */
  requires?: string | undefined;
  default?: unknown;
}

/** Keys and what they accept. */
export interface PropertyTable {
  [name: string]: PropertySchema;
}
