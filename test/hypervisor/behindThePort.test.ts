// What only the driver of Proxmox VE may know stands in no other part of the service: keys, roles, privileges, tasks, their ids.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SERVICE = ["src", "jobs", "resolvers", "rest", "graphql", "heartbeat", "app"];
const DRIVER = "src/hypervisor/proxmox/";

/** In code; comments and what is shown to people may give examples. */
const KNOWLEDGE: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    "a key of a configuration",
    /["'`.](?:net0|ipconfig\d*|rootfs|onboot|balloon|smbios1|vmgenid|cipassword|sshkeys|cicustom|ostemplate|hostpci\d*|vmstatestorage|bootdisk)\b/,
  ],
  ["a value of a configuration", /:cloudinit\b|order=|\bvirtio,|bridge=\$/],
  [
    "a type of tasks",
    /\b(?:qm|vz)(?:start|stop|shutdown|reboot|resume|create|restore|destroy|clone|igrate|migrate|tunnel|mtunnel)\b|\bha(?:start|stop|migrate)\b/,
  ],
  ["a role", /PVE(?:VM|Datastore|SDN|Auditor|Admin|Pool)\w*|DroverMigration/],
  ["a privilege", /["'`](?:Sys|VM|Datastore|SDN|Permissions|User|Pool)\.[A-Z]\w+/],
  ["a path of access rules", /["'`]\/(?:access|vms|storage|sdn|pool)\/?[$"'`]/],
  ["a lock", /["'`](?:migrate|suspended)["'`]/],
];

/** What the contracts with callers and agents name, or what is stored since the first release. */
const KEPT: readonly string[] = ["src/core/enums.ts", "src/db/changes/", "src/store/guest/moved.ts"];

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "$1");

describe("behind the port", () => {
  for (const [what, pattern] of KNOWLEDGE) {
    it(`stands ${what}, and nowhere else in the service`, async () => {
      const files = (await Promise.all(SERVICE.map(filesIn))).flat();
      const judged = files.filter((file) => !file.startsWith(DRIVER) && !KEPT.some((kept) => file.startsWith(kept)));
      assert.ok(judged.length > 300, "the service's files are found");
      const found: string[] = [];
      for (const file of judged) {
        const [match] = pattern.exec(withoutComments(await readFile(join(ROOT, file), "utf8"))) ?? [];
        if (match !== undefined) found.push(`${file}: ${match}`);
      }
      assert.deepEqual(found, []);
    });

    it(`stands ${what} in the driver`, async () => {
      const texts = await Promise.all((await filesIn(DRIVER)).map((file) => readFile(join(ROOT, file), "utf8")));
      assert.ok(
        texts.some((text) => pattern.test(withoutComments(text))),
        "the pattern finds what it is for",
      );
    });
  }
});
