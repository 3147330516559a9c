// Reads what a machine is built like from its configuration.
import type { MachineHardware } from "../../../core/migration/hardware.js";
import { figureIn } from "../figures.js";
import { configText, type ConfigValues } from "./values.js";
import { parseProperties } from "./propertyString.js";

export const machineHardware = (config: ConfigValues): MachineHardware => ({
  machine: parseProperties(configText(config, "machine") ?? "", "type").get("type") ?? null,
  cpuModel: parseProperties(configText(config, "cpu") ?? "", "cputype").get("cputype") ?? null,
  processors: countOf(config, "sockets") * countOf(config, "cores"),
});

const countOf = (config: ConfigValues, key: string): number => figureIn(configText(config, key), "cores") ?? 1;
