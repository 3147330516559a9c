// Says which parts of the recording are not evidence: exchanges that nobody judges, and values that differ by nature.
import type { Exchange } from "./recording.js";

/** Why an exchange is not judged at all, or null (the README of the recording marks these). */
export function whyNotJudged(exchange: Exchange): string | null {
  const { path } = exchange;
  if (path.endsWith("/rrddata") && exchange.status === 500) return "rrddata: the recorded host had no RRD files";
  if (/\/lxc\/\d+\/status\/(?:suspend|resume)$/.test(path)) return "CT suspend and resume are not judged";
  if (/\/(?:tfa|subscription|ceph|sdn|acme|notifications)(?:\/|$)/.test(path)) return "a stub in the recording";
  return null;
}

/**
 * True where the connection need not be closed although the recorded one was: a recorder with two daemons closed it after each
 * success that the second one gave, one with a single daemon kept it. Refusals close it always.
 */
export function mayBeKept({ status, headers }: Exchange): boolean {
  return status < 400 && headers.connection === "close";
}

/** Figures of the recording machine or of the moment: present and of the right type, but of any value. */
const volatileKeys: ReadonlySet<string> = new Set(
  `
    uptime pid pstart starttime endtime ctime notbefore notafter snaptime cpu mem memhost maxmem freemem disk
    netin netout diskread diskwrite balloon used avail free available used_fraction wait idle loadavg ksm cert password
    shared cpus maxcpu cores sockets model mhz flags user_hz hvm kversion current-kernel boot-info pem issuer
    subject san digest ip running-qemu running-machine meta pressurecpusome pressurecpufull pressureiosome
    pressureiofull pressurememorysome pressurememoryfull repoid fingerprint ssl_fingerprint total maxdisk value
  `
    .trim()
    .split(/\s+/),
);

/** Volatile only where the figures of a machine stand, since guests have keys of the same names. */
const machineKeys: ReadonlySet<string> = new Set(["cpus", "maxcpu", "cores", "sockets", "maxmem", "shared", "value"]);

/** True where the value of this key is not compared. */
export function isVolatile(key: string, holder: Readonly<Record<string, unknown>>): boolean {
  if (!volatileKeys.has(key)) return false;
  if (!machineKeys.has(key)) return true;
  if (key === "value" && holder.key === "digest") return true;
  return key === "value" ? "full-tokenid" in holder : !("vmid" in holder) && !("storage" in holder);
}

/** Answers of QEMU that the recorded one does not give. */
const neverRecorded: ReadonlySet<string> = new Set(["running-machine", "running-qemu"]);

/** True where a recorded answer lacks what a real one has. */
export function mayBeMissing(key: string): boolean {
  return neverRecorded.has(key);
}

/** Figures of disks that the recorder's QEMU did not give. */
export function isUntrustedFigure(key: string): boolean {
  return key === "diskread" || key === "diskwrite";
}

/** Types that the recording's stand-ins get wrong: pressure figures of containers are null there. */
export function mayDifferInType(key: string): boolean {
  return key.startsWith("pressure");
}

/** Text without what differs between two runs: times, sizes of progress, resolver and process numbers. */
export function withoutVolatileText(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "<time>")
    .replaceAll(/UPID:([\w-]+):[0-9A-F]{8}:[0-9A-F]{8,9}:[0-9A-F]{8}:/g, "UPID:$1:<pid>:<pstart>:<time>:")
    .replaceAll(/ctime=\d+/g, "ctime=<time>")
    .replaceAll(/(?:[0-9A-F]{2}:){5}[0-9A-F]{2}(?![:0-9A-F])/g, "<MAC>")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replaceAll(/(failed to get address info for: [^:]+): .*/g, "$1: <resolver>")
    .replaceAll(/Temporary failure in name resolution|Name or service not known/g, "<resolver>")
    .replaceAll(/(?:[\w<>-]+:)?PVEVNC:[0-9A-F]{8}::[\w+/=]+/g, "<console ticket>")
    .replaceAll(/<GEN\d+>/g, "<GEN>")
    .replaceAll(/\d\d:\d\d:\d\d/g, "<time>")
    .trimEnd();
}

const progressLine =
  /^\d+ bytes \(.*\) copied|^(?:drive|mirror)-\S+: transferred|migration active, transferred|records (?:in|out)$|^\d+\+\d+ /;
/** The stand-ins' own words, and those about what the recorded QEMU was too old for, whatever it was called. */
const standInLine = /^tunnel: ws refused|query-backup|actively synced mode/;

/** Log lines as they are compared: progress of any length is one line, figures are dropped. */
export function comparableLog(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    if (standInLine.test(line)) continue;
    const text = progressLine.test(line) ? "<progress>" : withoutFigures(withoutVolatileText(line));
    if (text !== "<progress>" || kept.at(-1) !== text) kept.push(text);
  }
  return kept;
}

function withoutFigures(line: string): string {
  return line
    .replaceAll(/(?<=tunnel command ')\{.*\}(?=')/g, sortedKeys)
    .replaceAll(/\d+(?:\.\d+)? (?:[KMGT]i?)?B(?:\/s)?\b/g, "<size>")
    .replaceAll(/\d+ ms\b|\d+ seconds\b|\b\d+(?:\.\d+)? s\b/g, "<duration>");
}

/** Keys of an object in a text come in random order. */
function sortedKeys(json: string): string {
  try {
    const entries: [string, unknown][] = Object.entries(JSON.parse(json));
    return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  } catch {
    return json;
  }
}
