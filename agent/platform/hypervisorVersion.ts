// Finds the installed Proxmox VE version in the node's files, without starting any of its programs.
import { promises as fs } from "node:fs";
import { join } from "node:path";
import { readIfThere } from "../files.js";

const DPKG_STATUS = "var/lib/dpkg/status";
const PVE_CONFIG = "usr/share/perl5/PVE/pvecfg.pm";

/** The version of pve-manager in dpkg's status file (deb-control(5) paragraphs), or null when it is not installed. */
export function versionInDpkgStatus(status: string): string | null {
  const start = status.search(/^Package: pve-manager$/m);
  if (start === -1) return null;
  const paragraph = status.slice(start).split(/\n\s*\n/, 1)[0] ?? "";
  if (!/^Status: .* installed$/m.test(paragraph)) return null;
  return /^Version: (\S+)$/m.exec(paragraph)?.[1] ?? null;
}

/** The version that PVE's own Perl module returns, which is what `GET /version` shows. */
export function versionInPveConfig(module: string): string | null {
  return /^sub version \{\s*return '([^']+)';/m.exec(module)?.[1] ?? null;
}

/** Reads the version of the system under `root`; reads again only when dpkg's status changed. */
export function createVersionReader(root: string): () => Promise<string | null> {
  let readAt = Number.NaN;
  let version: string | null = null;
  return async () => {
    const changedAt = await changeTime(join(root, DPKG_STATUS));
    if (changedAt === readAt && version !== null) return version;
    version = await findVersion(root);
    readAt = changedAt;
    return version;
  };
}

async function findVersion(root: string): Promise<string | null> {
  const module = await readIfThere(join(root, PVE_CONFIG));
  const running = module === null ? null : versionInPveConfig(module);
  if (running !== null) return running;
  const status = await readIfThere(join(root, DPKG_STATUS));
  return status === null ? null : versionInDpkgStatus(status);
}

async function changeTime(path: string): Promise<number> {
  return fs.stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
