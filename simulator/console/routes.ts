// Lists the console endpoints and what they require.
import { may } from "../guests/rights.js";
import type { Route } from "../route.js";
import { askForDisplay, askForSpice, askForTerminal, checkConsoleTicket, sendKey } from "./requests.js";

const mayWatch = may("VM.Console");

export const consoleRoutes: Route[] = [
  ...(["qemu", "lxc"] as const).flatMap((type): Route[] => {
    const guest = `/nodes/{node}/${type}/{vmid}`;
    return [
      { method: "POST", path: `${guest}/vncproxy`, requires: mayWatch, handle: askForDisplay(type) },
      { method: "POST", path: `${guest}/termproxy`, requires: mayWatch, handle: askForTerminal(type) },
      { method: "POST", path: `${guest}/spiceproxy`, requires: mayWatch, handle: askForSpice(type) },
      { method: "GET", path: `${guest}/vncwebsocket`, requires: mayWatch, handle: checkConsoleTicket },
    ];
  }),
  { method: "PUT", path: "/nodes/{node}/qemu/{vmid}/sendkey", requires: mayWatch, handle: sendKey },
];
