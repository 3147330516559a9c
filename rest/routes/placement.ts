// The endpoint that previews a placement.
import { guestType } from "../fields.js";
import { positive } from "../kinds.js";
import type { RequestField, Route } from "../route.js";

const size = (name: string, variable: string, description: string): RequestField => ({
  name,
  in: "query",
  kind: positive,
  variable,
  required: true,
  description,
});

const RANKED = `host_id: hostId node storage score ram_score: ramScore cpu_score: cpuScore storage_score: storageScore
  guest_count: guestCount explanation`;

export const placementRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/placement/suggest",
    summary: "Where a guest would be placed now, among the hosts in the token's scope; nothing is created",
    fields: [
      {
        name: "type",
        in: "query",
        kind: guestType,
        variable: "input.type",
        required: true,
        description: "qemu or lxc",
      },
      size("memory_mb", "input.memoryMb", "RAM, MiB"),
      size("cores", "input.cores", "CPU cores"),
      size("disk_gb", "input.diskGb", "Disk, GiB"),
    ],
    document: `query PlacementSuggest($input: PlacementRequest!) {
      data: placementSuggest(input: $input) {
        best { ${RANKED} } ranked { ${RANKED} } dropped { host_id: hostId node code reason }
      }
    }`,
  },
];
