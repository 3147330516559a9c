// Reads how far a transfer is, and why it failed, from the lines that Proxmox VE writes into the task's log.
import { GIB, MIB } from "../../../core/units.js";
import { wholeFigureIn } from "../figures.js";

/** What the lines read so far tell; carried on as the log grows. */
export interface TransferLog {
  /** Volumes that are whole on the target. */
  readonly finishedBytes: number;
  /** The volume that is being copied. */
  readonly currentBytes: number;
  /** Disks that are mirrored while the machine runs, by drive. */
  readonly mirroredBytes: Readonly<Record<string, number>>;
  /** RAM of a running machine; more than its size when it writes faster than is copied. */
  readonly memoryBytes: number;
  /** Whether any line had a figure: until then the progress is unknown. */
  readonly hasFigures: boolean;
}

export const EMPTY_LOG: TransferLog = {
  finishedBytes: 0,
  currentBytes: 0,
  mirroredBytes: {},
  memoryBytes: 0,
  hasFigures: false,
};

const UNITS: Readonly<Record<string, number>> = { B: 1, K: 1024, M: MIB, G: GIB, T: 1024 * GIB };

/** Bytes of each volume that is copied as it lies, by its id on the source. */
type VolumeSizes = ReadonlyMap<string, number>;

/** One kind of line, and what it changes. */
type Reader = readonly [
  line: RegExp,
  read: (log: TransferLog, match: RegExpExecArray, sizes: VolumeSizes) => TransferLog,
];

/** Lines that tell nothing but how far the transfer is. */
const FIGURES: readonly Reader[] = [
  // `98320384 bytes (98 MB, 94 MiB) copied, 1 s, 98.2 MB/s`: each second while dd copies a volume, from 0 for the next one.
  [/^(\d+) bytes (?:\(.*\) )?copied, /, (log, [, bytes]) => copying(log, sizeOf(bytes, "B"))],
  // `12:01:03   112M   rpool/data/vm-100-disk-0@__migration__`: each second while ZFS sends a volume.
  [/^\d\d:\d\d:\d\d\s+([\d.]+)([BKMGT])\s+\S+@/, (log, [, amount, unit]) => copying(log, sizeOf(amount, unit))],
  // `drive-scsi0: transferred 1.2 GiB of 32.0 GiB (3.75%) in 12s`, `mirror-scsi0: …` for machine versions from 10.0 on.
  [
    /^(?:drive|mirror)-(\S+): transferred ([\d.]+) ([KMGT]?)i?B of /,
    (log, [, drive = "", amount, unit]) => ({
      ...log,
      mirroredBytes: { ...log.mirroredBytes, [drive]: sizeOf(amount, unit) },
      hasFigures: true,
    }),
  ],
  // `migration active, transferred 1.2 GiB of 4.0 GiB VM-state, 112.5 MiB/s`; `device` while devices hand their state over.
  [/migration (?:active|device), transferred ([\d.]+) ([KMGT]?)i?B /, (log, match) => memory(log, match)],
];

const READERS: readonly Reader[] = [
  ...FIGURES,
  [/migration completed, transferred ([\d.]+) ([KMGT]?)i?B /, (log, match) => memory(log, match)],
  // The target has the volume. Live moves say so of what they will mirror, before anything of it was copied.
  [/volume '(.+)' is '.+' on the target$/, (log, [, volume = ""], sizes) => finishVolume(log, sizes.get(volume))],
];

const NO_SIZES: VolumeSizes = new Map();

/**
 * A line is written on while dd copies, before 9.1: what was read last is read again.
 * @param known lines so far
 * @param again the log from the last of them on
 * @returns the lines as they are now, and what of them is new
 */
export function growLog(
  known: readonly string[],
  again: readonly string[],
): { readonly lines: readonly string[]; readonly fresh: readonly string[] } {
  const last = known.at(-1);
  const [now, ...further] = again;
  if (last === undefined || now === undefined) return { lines: [...known, ...again], fresh: again };
  if (!now.startsWith(last)) return { lines: [...known, ...again], fresh: again };
  // The last figure may have been read in part.
  const grown =
    now === last
      ? []
      : [
          now
            .split("\r")
            .slice(last.split("\r").length - 1)
            .join("\r"),
        ];
  return { lines: [...known.slice(0, -1), ...again], fresh: [...grown, ...further] };
}

/** @returns whether a line reports nothing but progress. */
export const isFigure = (line: string): boolean => FIGURES.some(([pattern]) => pattern.test(line));

/**
 * @returns the log with further lines; dd's figures come as one line, divided by carriage returns, before 9.1.
 * @param sizes what a volume counts once it is on the target: dd copies its file, which is larger than a small volume, and
 *   smaller than one with much unused room. Of others it counts what dd has copied.
 */
export function readLines(log: TransferLog, lines: readonly string[], sizes: VolumeSizes = NO_SIZES): TransferLog {
  return lines.flatMap((line) => line.split("\r")).reduce((read, line) => readLine(read, line, sizes), log);
}

/**
 * @returns bytes copied so far; null while no line has a figure. Never more than the total: what is copied twice, because it was
 *   written meanwhile, brings the transfer no further.
 */
export function copiedBytes(log: TransferLog, total: number): number | null {
  const { finishedBytes, currentBytes, mirroredBytes, memoryBytes, hasFigures } = log;
  if (!hasFigures) return null;
  const sequential = finishedBytes + currentBytes + memoryBytes;
  return Math.min(
    total,
    Object.values(mirroredBytes).reduce((sum, bytes) => sum + bytes, sequential),
  );
}

const GENERIC =
  /^(?:400 Parameter verification failed|Problem found while scanning volumes|migration aborted$|migration problems$)/;

/**
 * The task's own result is only `migration aborted` or `migration problems`: the reason stands in the log, as a rule in
 * its first error, and before that when the error only says that there is one.
 * @returns the reason of a failed transfer in Proxmox VE's words; null when the log has none.
 */
export function failureReason(lines: readonly string[]): string | null {
  const reasons = lines.flatMap((line) => {
    const [, error] = /ERROR: (?:migration aborted \(duration [\d:]+\): )?([^]+)$/.exec(line) ?? [];
    const [, refusal] = /(can't migrate (?!VM - ).+)$/.exec(line) ?? [];
    return [error ?? refusal ?? ""].filter((reason) => reason !== "");
  });
  const reason = reasons.find((text) => !GENERIC.test(text)) ?? reasons[0];
  return reason === undefined ? null : forPeople(reason);
}

/** Without the whole configuration that a refused command repeats, passwords included, and without places in Perl files. */
function forPeople(reason: string): string {
  return reason
    .replace(/tunnel command '[^]*' failed - /, "")
    .replace(/ \(command '[^]*?'\)/, "")
    .replace(/ at \/usr\/share\/perl5\/[^]*$/, "");
}

function readLine(log: TransferLog, line: string, sizes: VolumeSizes): TransferLog {
  for (const [pattern, read] of READERS) {
    const match = pattern.exec(line);
    if (match) return read(log, match, sizes);
  }
  return log;
}

const memory = (log: TransferLog, [, amount, unit]: RegExpExecArray): TransferLog => ({
  ...log,
  memoryBytes: sizeOf(amount, unit),
  hasFigures: true,
});

/** Fewer bytes than before are the first ones of the next volume. */
function copying(log: TransferLog, bytes: number): TransferLog {
  const before = bytes < log.currentBytes ? finishVolume(log) : log;
  return { ...before, currentBytes: bytes, hasFigures: true };
}

const finishVolume = (log: TransferLog, bytes = log.currentBytes): TransferLog => ({
  ...log,
  finishedBytes: log.finishedBytes + bytes,
  currentBytes: 0,
  hasFigures: log.hasFigures || bytes > 0,
});

const sizeOf = (amount: string | undefined, unit: string | undefined): number =>
  wholeFigureIn(Number(amount) * (UNITS[unit === undefined || unit === "" ? "B" : unit] ?? 1), "diskBytes") ?? 0;
