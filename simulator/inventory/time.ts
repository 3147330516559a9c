// Answers what time a node's clock shows.
import type { ApiAnswer } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";

/** `GET /nodes/{node}/time`: seconds since the epoch, and the same shifted to the node's time zone. */
export function nodeTime(call: Call): ApiAnswer {
  const seconds = call.platform.clock.seconds();
  const offsetMinutes = new Date(seconds * 1000).getTimezoneOffset();
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return answer({ time: seconds, localtime: seconds - offsetMinutes * 60, timezone: ianaName(timeZone) });
}

/** The file of the system names the zone without an offset differently. */
function ianaName(timeZone: string): string {
  return timeZone === "UTC" ? "Etc/UTC" : timeZone;
}
