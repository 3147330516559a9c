// What a platform's driver offers to the connections of its hosts.
import type { HostConnection } from "./connection.js";
import type { Hypervisor, WaitObserver } from "./hypervisor.js";

/** A connection to one host. */
export interface Link {
  readonly closed: boolean;
  close(): Promise<void>;
}

/** Uses the link of now, in the moment in which it is found open: another one, once the host's record has changed. */
export type ReachLink<HostLink extends Link> = <Result>(use: (link: HostLink) => Promise<Result>) => Promise<Result>;

/** One platform. The manners are those of `Hypervisors`. */
export interface Driver<HostLink extends Link = Link> {
  /**
   * Nothing is asked yet.
   * @param isProven whether the host was connected before; of the words of any other server nothing is passed on until it has shown that it is a host of this platform
   */
  open(connection: HostConnection, isProven: boolean): HostLink;
  host(reach: ReachLink<HostLink>): Hypervisor;
  prompt(reach: ReachLink<HostLink>): Hypervisor;
  patient(reach: ReachLink<HostLink>, signal: AbortSignal, observer?: WaitObserver): Hypervisor;
  once(reach: ReachLink<HostLink>): Promise<Hypervisor>;
}
