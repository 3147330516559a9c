// Answers which models of processor a VM may have on a host.
import type { ApiAnswer } from "../api.js";
import { cpuModels } from "../parameters/cpuModels.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import { atLeast } from "../version.js";

/** Models that the QEMU of 7.4 does not have yet. */
const since84 = new Set(
  (
    "SapphireRapids SapphireRapids-v2 GraniteRapids EPYC-v4 EPYC-Rome-v3 EPYC-Rome-v4 EPYC-Milan-v2 EPYC-Genoa " +
    "x86-64-v2 x86-64-v2-AES x86-64-v3 x86-64-v4"
  ).split(" "),
);

/** `GET /nodes/{node}/capabilities/qemu/cpu`: the models, and whose processor each is. */
export function listCpuModels({ platform }: Call): ApiAnswer {
  const known = [...cpuModels].filter((name) => atLeast(platform.release, "8.4") || !since84.has(name));
  return answer(known.map((name) => ({ name, custom: 0, vendor: vendorOf(name) })));
}

/** `default` is the vendor of the host. */
function vendorOf(model: string): string {
  if (/^(?:EPYC|Opteron|athlon|phenom)/.test(model)) return "AuthenticAMD";
  return /^(?:host|max|kvm|qemu|x86-64)/.test(model) ? "default" : "GenuineIntel";
}
