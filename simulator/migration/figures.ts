// Words sizes, rates and durations as dd and Proxmox VE print them in migration logs.

/** `85.0 MiB`, as Proxmox VE renders bytes. */
export function renderBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit] ?? ""}`;
}

/** `1m 5s`, as Proxmox VE renders the duration of a block job. */
export function renderDuration(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [Math.floor(seconds) % 60, "s"],
  ];
  const shown = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount}${unit}`);
  return shown.length === 0 ? "0s" : shown.join(" ");
}

/** `HH:MM:SS`. */
export function clockDuration(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** `YYYY-MM-DD HH:MM:SS` in the node's time zone. */
export function timestamp(milliseconds: number): string {
  const date = new Date(milliseconds);
  const local = new Date(milliseconds - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}

/** dd's statistics line: `98320384 bytes (98 MB, 94 MiB) copied, 1 s, 98.2 MB/s`. */
export function copiedLine(bytes: number, seconds: number): string {
  const sizes = `${human(bytes, 1000, ["B", "kB", "MB", "GB", "TB"])}, ${human(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB"])}`;
  const rate = human(bytes / Math.max(seconds, 1e-6), 1000, ["B", "kB", "MB", "GB", "TB"], 3);
  return `${bytes} bytes (${sizes}) copied, ${Number(seconds.toPrecision(6))} s, ${rate}/s`;
}

/** dd's record count for full and partial blocks of 4 KiB. */
export function recordsLine(bytes: number, direction: "in" | "out"): string {
  return `${Math.ceil(bytes / 4096)}+0 records ${direction}`;
}

function human(value: number, base: number, units: readonly string[], digits = 2): string {
  let scaled = value;
  let unit = 0;
  while (scaled >= base && unit < units.length - 1) {
    scaled /= base;
    unit += 1;
  }
  const whole = Math.floor(Math.log10(Math.max(scaled, 1))) + 1;
  return `${scaled.toFixed(Math.max(0, Math.min(1, digits - whole)))} ${units[unit] ?? ""}`;
}
