// The error for an unusable environment. A separate file, so that the command line can load it without the validation of the environment.

/** Thrown when the environment cannot be used; the message has one line per fault. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
