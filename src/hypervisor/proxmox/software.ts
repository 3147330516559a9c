// Asks a node which packages it has installed, and for which architecture they were built.
import type { NodeSoftware } from "../observed.js";
import type { Ask } from "./client.js";
import { records, textIn } from "./parse.js";
import { apiPath } from "./path.js";
import { NOTHING, unlessRefused } from "./refusedAnswer.js";

/** What packages say that run on every architecture. */
const ANY_ARCHITECTURE = "all";

/** A node that does not tell, or not this connection, has nothing known installed. */
export async function readSoftware(ask: Ask, node: string): Promise<NodeSoftware> {
  const question = ask({ method: "GET", path: apiPath`/nodes/${node}/apt/versions` });
  const { data, source } = await unlessRefused(question, () => NOTHING);
  const rows = records(data, source);
  const architectures = rows.flatMap(({ Arch }) => textIn(Arch) ?? []).filter((found) => found !== ANY_ARCHITECTURE);
  return {
    qemuServer: installed(rows, "qemu-server"),
    pveContainer: installed(rows, "pve-container"),
    architecture: architectures[0] ?? null,
  };
}

/** `Version` is the newest that could be installed, `OldVersion` the one that is. */
function installed(rows: readonly Readonly<Record<string, unknown>>[], name: string): string | null {
  const row = rows.find(({ Package, CurrentState }) => Package === name && CurrentState === "Installed");
  return row === undefined ? null : textIn(row["OldVersion"]);
}
