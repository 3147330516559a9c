// A change of a guest's configuration, key by key.

/**
 * Keys to write and keys to remove in one configuration change; none at all is no error. Values are plain: they are encoded when they
 * are sent (`sshkeys` is one key a line).
 */
export interface ConfigChange {
  readonly set?: Readonly<Record<string, string | number | boolean>>;
  readonly remove?: readonly string[];
  /** Refuses the change with `PLATFORM_CHANGED` when the configuration is no longer this one. */
  readonly digest?: string;
}
