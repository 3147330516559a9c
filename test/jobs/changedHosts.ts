// Hosts of which some doings are changed, for jobs that are to be held or to fail at a certain one.
import type { Hypervisor, Hypervisors, WaitObserver } from "../../src/hypervisor/hypervisor.js";

/** @param change what differs from the real host; `observer` is who hears of a job's waits */
export function changedHosts(
  hypervisors: Hypervisors,
  change: (host: Hypervisor, observer?: WaitObserver) => Partial<Hypervisor>,
): Hypervisors {
  const changed = (host: Hypervisor, observer?: WaitObserver): Hypervisor => ({ ...host, ...change(host, observer) });
  return {
    of: async (id) => changed(await hypervisors.of(id)),
    prompt: (id) => hypervisors.prompt(id),
    patient: async (id, signal, observer) => changed(await hypervisors.patient(id, signal, observer), observer),
    once: (id) => hypervisors.once(id),
    connect: (connection) => hypervisors.connect(connection),
    forget: (id) => hypervisors.forget(id),
    close: () => hypervisors.close(),
  };
}
