// Furnishes a host the way the recorded exchanges begin: one storage, two bridges, a template file and an ISO.
import { bridge } from "../state/node.js";
import type { Scenario } from "./scenario.js";

/** Size of the recording's miniature container template, bytes. */
const miniatureTemplateBytes = 16_494;
const rescueIsoBytes = 358_400;

/** No guests; every node has storage `local`, bridge `vmbr0`, and `vmbr1` that is up without being configured. */
export const empty: Scenario = {
  platform({ name, nodes }) {
    return {
      ...(nodes.length > 1 ? { clusterName: name } : {}),
      nodes: nodes.map((node) => ({ name: node, network: [bridge("vmbr0"), bridge("vmbr1", { configured: false })] })),
      // What a host has whose file of storages was never written.
      storages: [{ name: "local", type: "dir", options: { priority: "0", "prune-backups": "keep-all=1" } }],
      volumes: nodes.flatMap((node) => [
        {
          node,
          storage: "local",
          name: "vztmpl/debian-12-standard_12.7-1_amd64.tar.gz",
          content: "vztmpl" as const,
          format: "tgz",
          size: miniatureTemplateBytes,
        },
        {
          node,
          storage: "local",
          name: "iso/rescue.iso",
          content: "iso" as const,
          format: "iso",
          size: rescueIsoBytes,
        },
      ]),
    };
  },
  furnish() {},
};
