// Finds devices of the node that a VM uses, which no other node has.
import { failure } from "../api.js";
import type { ConfigValues } from "../state/guest.js";

/** @throws ApiError 500 naming the devices */
export function refuseLocalDevices(config: ConfigValues, targetNode: string): void {
  const legacy = ["hostusb", "hostpci", "ivshmem"].filter((key) => config[key] !== undefined);
  const devices = Object.entries(config).filter(([key, value]) => isDevice(key, value));
  const local = devices.filter(([, value]) => mappingOf(value) === undefined).map(([key]) => key);
  const blocking = [...legacy, ...local.toSorted()];
  if (blocking.length > 0) throw failure(`can't migrate VM which uses local devices: ${blocking.join(", ")}`);
  const mapped = devices.map(([key]) => key).toSorted();
  if (mapped.length > 0) throw failure(`can't migrate to '${targetNode}': missing mapped devices ${mapped.join(", ")}`);
}

function isDevice(key: string, value: string): boolean {
  if (/^serial\d+$/.test(key)) return value !== "socket";
  if (/^usb\d+$/.test(key)) return !/^(?:host=)?spice(?:,|$)/i.test(value);
  return /^(?:hostpci|parallel|virtiofs)\d+$/.test(key);
}

function mappingOf(value: string): string | undefined {
  return /(?:^|,)mapping=([^,]+)/.exec(value)?.[1];
}
