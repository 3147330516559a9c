// Says that the environment cannot be used. A file of its own: the command line knows it without loading what checks the environment.

/** Thrown when the environment cannot be used; the message has one line a fault. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
