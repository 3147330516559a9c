// Tells refusals of the control address apart from faults of its own.

/** Input that the control address cannot follow; sent as `{"error": text}`. */
export class ControlError extends Error {
  constructor(
    readonly status: 400 | 404 | 405 | 409,
    message: string,
  ) {
    super(message);
  }
}
