// Reads and changes Proxmox VE's property strings, such as `virtio=BC:24:11:00:00:01,bridge=vmbr0,tag=20`.

/** Property names and values in their written order. */
export type Properties = ReadonlyMap<string, string>;

const TRUE = /^(?:1|on|yes|true)$/i;

/**
 * @param defaultKey the property whose name may be left out, as `file` of a disk: `local-lvm:vm-100-disk-0,size=32G`.
 * @returns the properties; a part without a name is the default property, or is kept as a name without value.
 */
export function parseProperties(text: string, defaultKey?: string): Properties {
  const properties = new Map<string, string>();
  for (const part of text.split(",")) {
    const separator = part.indexOf("=");
    if (separator >= 0) properties.set(part.slice(0, separator).trim(), part.slice(separator + 1));
    else if (part !== "") properties.set(defaultKey ?? part, defaultKey ? part : "");
  }
  return properties;
}

/**
 * Changes some properties and keeps the others, their order and a left-out default name as they were written.
 * @param changes new values; null removes the property.
 */
export function changeProperties(text: string, changes: Readonly<Record<string, string | null>>): string {
  const pending = new Map(Object.entries(changes));
  const kept = text.split(",").flatMap((part) => {
    const name = part.includes("=") ? part.slice(0, part.indexOf("=")).trim() : null;
    const value = name === null ? undefined : pending.get(name);
    if (name === null || value === undefined) return part === "" ? [] : [part];
    pending.delete(name);
    return value === null ? [] : [`${name}=${value}`];
  });
  const added = [...pending].flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
  return [...kept, ...added].join(",");
}

/** @returns whether a boolean of a property string is on: `1`, `on`, `yes` or `true`. */
export const isOn = (value: string | undefined): boolean => value !== undefined && TRUE.test(value);
