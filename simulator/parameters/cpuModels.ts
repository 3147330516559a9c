// Checks the `cpu` property string of VMs beyond its keys: the model has to exist and its flags have to be allowed.
import type { Properties } from "./propertyString.js";

/** Models by name; 7.4 does not have all of them. */
export const cpuModels: ReadonlySet<string> = new Set(
  (
    "486 pentium pentium2 pentium3 coreduo core2duo Conroe Penryn Nehalem Nehalem-IBRS Westmere Westmere-IBRS " +
    "SandyBridge SandyBridge-IBRS IvyBridge IvyBridge-IBRS Haswell Haswell-IBRS Haswell-noTSX Haswell-noTSX-IBRS " +
    "Broadwell Broadwell-IBRS Broadwell-noTSX Broadwell-noTSX-IBRS Skylake-Client Skylake-Client-IBRS " +
    "Skylake-Client-noTSX-IBRS Skylake-Client-v4 Skylake-Server Skylake-Server-IBRS Skylake-Server-noTSX-IBRS " +
    "Skylake-Server-v4 Skylake-Server-v5 Cascadelake-Server Cascadelake-Server-v2 Cascadelake-Server-noTSX " +
    "Cascadelake-Server-v4 Cascadelake-Server-v5 Cooperlake Cooperlake-v2 KnightsMill Icelake-Client " +
    "Icelake-Client-noTSX Icelake-Server Icelake-Server-noTSX Icelake-Server-v3 Icelake-Server-v4 Icelake-Server-v5 " +
    "Icelake-Server-v6 SapphireRapids SapphireRapids-v2 GraniteRapids athlon phenom Opteron_G1 Opteron_G2 Opteron_G3 " +
    "Opteron_G4 Opteron_G5 EPYC EPYC-IBPB EPYC-v3 EPYC-v4 EPYC-Rome EPYC-Rome-v2 EPYC-Rome-v3 EPYC-Rome-v4 EPYC-Milan " +
    "EPYC-Milan-v2 EPYC-Genoa host kvm32 kvm64 qemu32 qemu64 max x86-64-v2 x86-64-v2-AES x86-64-v3 x86-64-v4"
  ).split(" "),
);
const flags =
  "aes amd-no-ssb amd-ssbd hv-evmcs hv-tlbflush ibpb md-clear nested-virt pcid pdpe1gb spec-ctrl ssbd virt-ssbd".split(
    " ",
  );

/** Null when the model may be used by a VM, else the complaint. */
export function checkCpu(cpu: Properties): string | null {
  const { cputype } = cpu;
  if (cputype === undefined || cputype === "") return "CPU is missing cputype";
  if (cputype.startsWith("custom-")) return `Custom cputype '${cputype.slice("custom-".length)}' not found`;
  if (!cpuModels.has(cputype)) return `Built-in cputype '${cputype}' is not defined (missing 'custom-' prefix?)`;
  if (cpu.flags?.split(";").some((flag) => !flags.includes(flag.slice(1))) === true)
    return `VM-specific CPU flags must be a subset of: ${flags.join(", ")}`;
  return cpu["reported-model"] === undefined
    ? null
    : "Property 'reported-model' not allowed in VM-specific CPU config.";
}
