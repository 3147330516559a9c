// Translates the field names of a refusal into those of GraphQL: inside the service some have their REST v1 names.

/** The names of REST v1 that differ. */
const REST_NAMES = [
  "host_id",
  "user_id",
  "owner_id",
  "plan_id",
  "memory_mb",
  "disk_gb",
  "os_template",
  "lxc_template_id",
  "ssh_keys",
  "ip_source",
  "token_id",
  "token_secret",
  "tls_fingerprint",
] as const;

/** What stands in angle brackets is a part of a value's form, such as `tpl:<template_id>`. */
const NAMED = new RegExp(String.raw`(?<!<)\b(?:${REST_NAMES.join("|")})\b`, "g");

/** @returns a field's path, or a sentence about fields, with their names as GraphQL has them */
export const inGraphqlNames = (text: string): string =>
  text.replaceAll(NAMED, (name) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
