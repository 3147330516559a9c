// Splits and normalises lists the way Proxmox VE's configuration does: by comma, semicolon or space.

export function splitList(text: string): string[] {
  if (text.includes("\0")) return text.split("\0");
  return text
    .replaceAll(/[,;]/g, " ")
    .split(/\s+/)
    .filter((part) => part !== "");
}
