// Says what the console methods accept.
import { flag, forBoth, guest, text } from "../parameters/common.js";
import type { PropertyTable } from "../parameters/propertyTable.js";

const serial = { ...text, enum: ["serial0", "serial1", "serial2", "serial3"] };
const size = (maximum: number): PropertyTable[string] => ({ type: "integer", optional: 1, minimum: 16, maximum });

export const consoleTables: Record<string, PropertyTable> = {
  ...forBoth({
    "POST /nodes/{node}/{type}/{vmid}/spiceproxy": { ...guest, proxy: { ...text, format: "address" } },
    "GET /nodes/{node}/{type}/{vmid}/vncwebsocket": {
      ...guest,
      vncticket: { type: "string", maxLength: 512 },
      port: { type: "integer", minimum: 5900, maximum: 5999 },
    },
  }),
  "POST /nodes/{node}/qemu/{vmid}/vncproxy": { ...guest, websocket: flag, "generate-password": flag },
  "POST /nodes/{node}/lxc/{vmid}/vncproxy": { ...guest, websocket: flag, width: size(4096), height: size(2160) },
  "POST /nodes/{node}/qemu/{vmid}/termproxy": { ...guest, serial },
  "POST /nodes/{node}/lxc/{vmid}/termproxy": guest,
  "PUT /nodes/{node}/qemu/{vmid}/sendkey": { ...guest, key: { type: "string" }, skiplock: flag },
};
