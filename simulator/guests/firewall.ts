// Shows a guest's own firewall: what its file below /etc/pve/firewall says, which goes with the guest.
import type { ApiAnswer } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { GuestType } from "../state/guest.js";
import { guestOf } from "./lookup.js";

/** `GET …/firewall/rules`; a line that begins with `|` is a rule that is switched off. */
export function listRules(type: GuestType): (call: Call) => ApiAnswer {
  return (call) =>
    answer(
      linesOf(guestOf(call, type).firewall, "RULES").map((line, pos) => {
        const [direction = "", action = ""] = line.replace(/^\|/, "").split(" ");
        return { pos, type: direction.toLowerCase(), action, enable: line.startsWith("|") ? 0 : 1 };
      }),
    );
}

/** `GET …/firewall/options`: those that are set. */
export function readOptions(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => {
    const lines = linesOf(guestOf(call, type).firewall, "OPTIONS").map((line) => line.split(": "));
    const options = lines.map(([key = "", value = ""]) => [key, /^\d+$/.test(value) ? Number(value) : value]);
    return answer(Object.fromEntries(options));
  };
}

/** The lines of one section that say something. */
function linesOf(file: string | null, section: string): string[] {
  const [, text = ""] = (file ?? "").split(`[${section}]\n`);
  const [own = ""] = text.split("\n[");
  return own.split("\n").filter((line) => line.trim() !== "");
}
