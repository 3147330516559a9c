// Writes a guest's configuration in the other ways in which it may stand there: options in any order, long and short forms, other units.
import { once, pick, shuffled, type Dice } from "./dice.js";

type Config = Readonly<Record<string, unknown>>;

const DISK = /^(?:ide|sata|scsi|virtio|efidisk|tpmstate|mp)\d+$|^rootfs$/;
const NETWORK = /^net\d+$/;
/** A model's name with the address, as in `virtio=BC:24:11:00:00:01`. */
const SHORT_MODEL = /^([a-z0-9-]+)=((?:[0-9A-F]{2}:){5}[0-9A-F]{2})$/i;

/** The same configuration; without a digest at times, as hosts give it that keep none. */
export function variedConfig(config: Config, draw: Dice): Config {
  const isContainer = "rootfs" in config;
  const entries = Object.entries(config).flatMap(([key, value]): [string, unknown][] =>
    key === "digest" && once(draw, 3) ? [] : [[key, typeof value === "string" ? variedText(key, value, draw) : value]],
  );
  const memory = isContainer || !("memory" in config) ? {} : { memory: variedMemory(config["memory"], draw) };
  return { ...Object.fromEntries(entries), ...memory };
}

function variedText(key: string, text: string, draw: Dice): string {
  if (DISK.test(key)) return variedDisk(key === "rootfs" || key.startsWith("mp") ? "volume" : "file", text, draw);
  if (NETWORK.test(key)) return variedNetwork(text, draw);
  if (key === "tags") return text.replaceAll(";", pick(draw, [";", ",", " ", ", "]));
  return text;
}

/** A number, as text too, or a property of a machine. */
const variedMemory = (memory: unknown, draw: Dice): unknown =>
  pick(draw, [Number(memory), String(Number(memory)), `current=${Number(memory)}`]);

/** The volume comes first, or under its name anywhere. */
function variedDisk(name: string, text: string, draw: Dice): string {
  const [volume = "", ...options] = text.split(",").map((part) => otherSize(part, draw));
  if (volume.includes("=")) return text;
  return once(draw, 2)
    ? [volume, ...shuffled(options, draw)].join(",")
    : shuffled([`${name}=${volume}`, ...options], draw).join(",");
}

function otherSize(part: string, draw: Dice): string {
  const [, size] = /^size=(\d+)G$/.exec(part) ?? [];
  if (size === undefined) return part;
  return `size=${pick(draw, [`${size}G`, `${Number(size) * 1024}M`, `${Number(size) * 1024 ** 2}K`, `${size}.0G`])}`;
}

const variedNetwork = (text: string, draw: Dice): string =>
  shuffled(
    text.split(",").flatMap((part) => otherModel(part, draw)),
    draw,
  ).join(",");

function otherModel(part: string, draw: Dice): string[] {
  const [, model, address] = SHORT_MODEL.exec(part) ?? [];
  const isModel = model !== undefined && model !== "hwaddr" && model !== "macaddr" && address !== undefined;
  return isModel && once(draw, 2) ? [`model=${model}`, `macaddr=${address.toLowerCase()}`] : [part];
}
