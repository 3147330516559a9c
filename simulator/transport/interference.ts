// Describes what an ordered fault does to one request.
import { STATUS_CODES } from "node:http";
import type { Reply } from "./reply.js";
import type { TransportTraits } from "./traits.js";

/** A fault as it applies to one request. */
export interface Interference {
  /** Null: only the delay. `drop` cuts the connection, `hang` never answers, `status` answers something else. */
  effect: "drop" | "hang" | "status" | null;
  /** Of the `status` effect. */
  status: number;
  message: string;
  /** Real milliseconds to wait first. */
  delayMs: number;
  /** True: the request is carried out, only its answer is lost or replaced. */
  afterwards: boolean;
}

/** The answer of a `status` fault. What a proxying node answers (595 and above) has no body. */
export function faultReply({ status, message }: Interference, traits: TransportTraits): Reply {
  const reason = message || STATUS_CODES[status] || proxyReasons[status] || "fault";
  if (status >= 595 || status === 401) return { status, reason };
  const body = { data: null, ...(status >= 400 && traits.errorsInBody ? { message: `${reason}\n` } : {}) };
  return { status, reason, contentType: "application/json;charset=UTF-8", body: JSON.stringify(body) };
}

const proxyReasons: Readonly<Record<number, string>> = {
  595: "No route to host",
  596: "Connection timed out",
  597: "Broken pipe",
  599: "Too many redirections",
};
