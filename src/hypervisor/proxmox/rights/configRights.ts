// Says which privileges on its VMID the configuration of a guest takes, of whoever gives it to a new guest.
import { GuestType } from "../../../core/enums.js";
import type { ConfigValues } from "../config/values.js";
import { DiskKind, type Disk } from "../../../core/inventory/disk.js";
import { guestDisks } from "../config/disks.js";
import { isAtLeast } from "../../../core/version.js";

const keys = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const VM_KEYS: readonly (readonly [privilege: string, keys: ReadonlySet<string>])[] = [
  ["VM.Config.CPU", keys("cores cpu cpulimit cpuunits numa sockets vcpus")],
  ["VM.Config.Memory", keys("memory balloon shares allow-ksm")],
  ["VM.Config.HWType", keys("acpi hotplug kvm machine scsihw smbios1 tablet vga watchdog audio0 rng0")],
  [
    "VM.Config.Options",
    keys(
      "agent autostart bios description keyboard localtime migrate_downtime migrate_speed name onboot ostype protection reboot startdate startup tags tdf template",
    ),
  ],
  ["VM.PowerMgmt", keys("freeze")],
  ["VM.Config.Disk", keys("boot bootdisk vmstatestorage")],
];
const CLOUD_INIT_KEYS = keys("cicustom cipassword citype ciuser ciupgrade nameserver searchdomain sshkeys");
const DEVICE = /^(?:serial|usb|hostpci)\d+$/;

const CONTAINER_KEYS: readonly (readonly [privilege: string, keys: ReadonlySet<string>])[] = [
  ["VM.Config.CPU", keys("cores cpulimit cpuunits")],
  ["VM.Config.Memory", keys("memory swap")],
  ["VM.Config.Network", keys("hostname nameserver searchdomain")],
  ["VM.Config.Options", keys("cmode console description onboot ostype protection startup tags timezone tty")],
];

/** @returns sets of privileges, of each of which one is needed */
export function configPrivileges(type: GuestType, config: ConfigValues, version: string | null): (readonly string[])[] {
  const found = [
    ...guestDisks(type, config).flatMap((disk) => diskPrivileges(type, disk)),
    ...Object.keys(config).flatMap((key) => {
      const needed = type === GuestType.QEMU ? ofMachineKey(key, version) : ofContainerKey(key);
      return needed === null ? [] : [needed];
    }),
  ];
  return [...new Map(found.map((one) => [one.join(), one])).values()].toSorted((one, other) =>
    one.join() < other.join() ? -1 : 1,
  );
}

/** Unattached volumes are written past all checks. */
function diskPrivileges(type: GuestType, { kind }: Disk): (readonly string[])[] {
  if (kind === DiskKind.UNUSED) return [];
  if (type === GuestType.LXC) return [["VM.Config.Disk"]];
  if (kind === DiskKind.CLOUD_INIT) return [["VM.Config.Cloudinit", "VM.Config.CDROM"]];
  return kind === DiskKind.CDROM ? [["VM.Config.CDROM"]] : [["VM.Config.Disk"]];
}

function ofMachineKey(key: string, version: string | null): readonly string[] | null {
  const isCloudInit = CLOUD_INIT_KEYS.has(key) || (isAtLeast(version, "8.0") && /^ipconfig\d+$/.test(key));
  if (isCloudInit) return ["VM.Config.Cloudinit", "VM.Config.Network"];
  if (/^(?:net|ipconfig)\d+$/.test(key)) return ["VM.Config.Network"];
  if (/^numa\d+$/.test(key)) return ["VM.Config.CPU"];
  if (DEVICE.test(key)) return ["VM.Config.HWType"];
  return named(VM_KEYS, key);
}

const ofContainerKey = (key: string): readonly string[] | null =>
  /^net\d+$/.test(key) ? ["VM.Config.Network"] : named(CONTAINER_KEYS, key);

function named(table: typeof VM_KEYS, key: string): readonly string[] | null {
  const found = table.find(([, known]) => known.has(key));
  return found === undefined ? null : [found[0]];
}
