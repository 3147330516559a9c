// Says what a VM's configuration makes of the lines of a container's.
import type { Archive } from "../state/guest.js";

const known = new Set(
  "name memory cores cpulimit cpuunits onboot startup ostype tags description protection nameserver searchdomain arch hookscript template".split(
    " ",
  ),
);
const cardComplaints = [
  "ip: property is not defined in schema and the schema does not allow additional properties",
  "name: property is not defined in schema and the schema does not allow additional properties",
  "model: property is missing and it is not optional",
  "hwaddr: property is not defined in schema and the schema does not allow additional properties",
  "type: property is not defined in schema and the schema does not allow additional properties",
];

/** One line an unknown setting; a network card of a container is a format error. */
export function foreignSettings(vmid: number, { config }: Archive): string[] {
  return Object.keys(config)
    .toSorted()
    .flatMap((key) => {
      if (known.has(key)) return [];
      const start = `vm ${vmid} - unable to parse value of '${key}' -`;
      return /^net\d+$/.test(key)
        ? [`${start} format error`, ...cardComplaints]
        : [`${start} unknown setting '${key}'`];
    });
}
