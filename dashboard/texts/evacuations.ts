// Texts of evacuations: their list, the preparation of one, its progress.
import { count } from "../format.js";

export const texts = {
  title: "Evacuations",
  evacuateHost: "Evacuate host",
  empty: "No evacuations yet.",
  automaticPlacement: "automatic placement",
  waiting: "waiting",
  columns: {
    evacuated: "Evacuated",
    target: "Target",
    status: "Status",
    processed: "Processed",
    started: "Started",
    finished: "Finished",
  },
  processed: (done: number, total: number): string => `${done} of ${total}`,

  page: {
    number: (id: string): string => `Evacuation ${id}`,
    title: (place: string): string => `Evacuation of ${place}`,
    maintenanceStaysOn: "Maintenance mode stays on until you turn it off on the page of",
    stop: "Stop",
    stopping: "Stopping…",
    stopQuestion: (place: string): string => `Stop the evacuation of ${place}?`,
    stopWarning: (waiting: number): string =>
      `The running migration is completed. ${count(waiting, "waiting guest")} will be skipped.`,
    stopped: "The running migration is completed; the remaining guests are skipped.",
    stopFailed: "The evacuation could not be stopped",
  },

  create: {
    source: "Source and target",
    host: "Host to evacuate",
    selectHost: "Select a host",
    node: "Node",
    allNodes: "All nodes",
    target: "Target",
    targetPlaceholder: "Automatic placement",
    targetZone: "Target IP zone",
    automatic: "Automatic",
    dropForwards: "Drop port forwards that cannot be migrated",
    guests: "Guests",
    noHost: "Select the host to evacuate. Nothing is changed until you start the evacuation.",
    question: (place: string): string => `Evacuate ${place}?`,
    verb: (guests: number): string => `Migrate ${count(guests, "guest")}`,
    warning: (host: string, guests: number, names: string): string =>
      `${host} enters maintenance mode. ${count(guests, "guest")} ${guests === 1 ? "is" : "are"} migrated, one at a time: ${names}.`,
    start: (host: string): string => `Evacuate ${host}`,
    failed: (host: string): string => `The evacuation of ${host} could not be started`,
    calculating: "Calculating targets…",
    selected: (selected: number, total: number, duration: string): string =>
      `${selected} of ${total} selected · estimated duration: ${duration}`,
    unknownDuration: "unknown",
    atLeast: (duration: string): string => `over ${duration}`,
    blocked: (guests: number): string => `${count(guests, "guest")} cannot be migrated: see the blocking issues.`,
    tooMany: (most: number): string =>
      `At most ${count(most, "guest")} can be selected one by one. Select all guests that can be migrated, or fewer.`,
    empty: "No guests to migrate. Templates, safety copies and guests with a running job are not listed.",
    noCapacity: "no capacity",
    size: (vmid: number, mark: string, memory: string, disk: string): string =>
      `${vmid} · ${mark} · ${memory}, ${disk}`,
    unknown: "unknown",
    byAmount: (time: string): string => `${time} by amount of data`,
    none: "none",
    columns: {
      guest: "Guest",
      status: "Status",
      sourceNode: "Source node",
      target: "Target",
      mode: "Mode",
      duration: "Duration",
      address: "IP address",
      blocking: "Blocking issues",
    },
  },
};
