// The headers that keep a page of the service to itself: no other site embeds it, reads it, or holds on to its window.

/** Of every page and of each file that belongs to one. */
export const PAGE_HEADERS = {
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
} as const;

const A_YEAR = "max-age=31536000";

/**
 * The header that has a browser come back over TLS alone. The proxy before the service says what the request came over; whoever else
 * says it gains nothing, since browsers read the header over TLS only.
 * @param protocol the `X-Forwarded-Proto` header
 */
export const transportHeaders = (protocol: string | string[] | undefined): Readonly<Record<string, string>> =>
  protocol === "https" ? { "Strict-Transport-Security": A_YEAR } : {};
