// Runs the demo's three simulated Proxmox VE hosts in one process; they keep their ports and certificates over restarts.
import { z } from "zod";
import { makeCertificates, startHost, type RunningHost } from "../simulator/host.js";
import type { Release } from "../simulator/version.js";
import type { HostCertificates } from "../simulator/transport/certificates.js";
import { DemoFiles, type PlatformSecrets } from "./files.js";
import { holdPorts } from "./parts.js";
import { lastingPort } from "./ports.js";

/** Simulated work is done so many times faster than in life: creations can be watched, nobody has to wait. */
const TIME_FACTOR = 10;

const HOSTS: readonly { name: string; release: Release; nodes: string[] }[] = [
  { name: "amsterdam", release: "9.2", nodes: ["ams1"] },
  { name: "frankfurt", release: "8.4", nodes: ["fra1"] },
  { name: "london", release: "9.2", nodes: ["lon1", "lon2", "lon3"] },
];

const keyed = z.object({ certificate: z.string(), privateKey: z.string(), fingerprint: z.string() });
const certificateFile = z.object({ authority: keyed, nodes: z.array(z.tuple([z.string(), keyed])) });

async function main(files: DemoFiles): Promise<void> {
  await holdPorts(files.directory);
  const secrets = await files.platformSecrets();
  const hosts = await Promise.all(HOSTS.map((host) => start(files, secrets, host)));
  await files.keepPlatformSecrets({ ...secrets, hosts: Object.fromEntries(hosts.map(portsOf)) });
  await files.change(({ hosts: known, pids }) => ({
    hosts: hosts.map(({ name, url, fingerprint, control }) => ({
      id: known.find((host) => host.name === name)?.id ?? null,
      name,
      url,
      fingerprint,
      control,
    })),
    pids: { ...pids, platform: process.pid },
  }));
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop(hosts));
  process.stdout.write("platform ready\n");
}

async function start(
  files: DemoFiles,
  { tokenId, tokenSecret, rootPassword, hosts }: PlatformSecrets,
  { name, release, nodes }: (typeof HOSTS)[number],
): Promise<RunningHost> {
  return startHost({
    name,
    release,
    nodes,
    scenario: "demo",
    timeFactor: TIME_FACTOR,
    rootPassword,
    tokens: [{ id: `root@pam!${tokenId}`, secret: tokenSecret }],
    certificates: await certificatesOf(files, name, nodes),
    port: hosts[name]?.port ?? (await lastingPort()),
    controlPort: hosts[name]?.controlPort ?? (await lastingPort()),
    reportFault: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
  });
}

/** A host that came back with another certificate would be refused, as it should. */
async function certificatesOf(files: DemoFiles, name: string, nodes: string[]): Promise<HostCertificates> {
  const kept = await files.kept(`certificates-${name}.json`, certificateFile, async () => {
    const { authority, nodes: made } = await makeCertificates(nodes);
    return { authority, nodes: [...made] };
  });
  return { authority: kept.authority, nodes: new Map(kept.nodes) };
}

const portsOf = ({ name, port, control }: RunningHost) =>
  [name, { port, controlPort: Number(new URL(control).port) }] as const;

/** Tasks under way end with the process, as in a power cut. */
async function stop(hosts: readonly RunningHost[]): Promise<void> {
  await Promise.all(hosts.map((host) => host.close()));
  process.exit(0);
}

await main(new DemoFiles(process.argv[2] ?? ".drover"));
