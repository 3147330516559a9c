// Reads the address and credential of a migration's target.

/** Where a guest goes. */
export interface Endpoint {
  host: string;
  port: number;
  /** As it was given; the tunnel sends it as it is. */
  apiToken: string;
  /** Upper-case SHA-256 pairs, or null when none was given. */
  fingerprint: string | null;
}

/** Takes `apitoken=…,host=…[,port=…][,fingerprint=…]` apart; the parameter check has seen the text before. */
export function parseEndpoint(text: string): Endpoint {
  const entries = text.split(",").map((part) => {
    const cut = part.indexOf("=");
    return [part.slice(0, cut), part.slice(cut + 1)] as const;
  });
  const values = new Map(entries);
  return {
    host: values.get("host") ?? "",
    port: Number(values.get("port") ?? 8006),
    apiToken: values.get("apitoken") ?? "",
    fingerprint: values.get("fingerprint")?.toUpperCase() ?? null,
  };
}
