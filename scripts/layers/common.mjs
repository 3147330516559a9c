// The common rooms.

/** What the parts of the service may use beside the layers that they name: small rooms without a subject of their own. */
export const COMMON = ["src/errors", "src/concurrency", "src/observability", "src/config", "src/http"];
