// Asks whether a guest has a firewall of its own: the platform removes it together with the guest.
import { z } from "zod";
import type { GuestAddress } from "../guest.js";
import type { Ask } from "./client.js";
import { guestPath } from "./guests.js";
import { flag, listOf, understand } from "./parse.js";
import { NOTHING, unlessRefused } from "./untold.js";

const rulesAnswer = listOf(z.unknown());
const optionsAnswer = z.object({ enable: flag }).nullish();

/** Rules count also while they are switched off: somebody wrote them. A host that does not know the question filters nothing. */
export async function isFirewalled(ask: Ask, guest: GuestAddress): Promise<boolean> {
  const path = `${guestPath(guest)}/firewall`;
  const [rules, options] = await Promise.all([
    unlessRefused(ask({ method: "GET", path: `${path}/rules` }), () => NOTHING),
    unlessRefused(ask({ method: "GET", path: `${path}/options` }), () => ({ ...NOTHING, data: {} })),
  ]);
  const isOn = understand(optionsAnswer, options.data, options.source)?.enable ?? false;
  return isOn || understand(rulesAnswer, rules.data, rules.source).length > 0;
}
