// Turns nodes as they are stored into nodes at one moment: with the room that is reserved on them, and without samples too old to count.
import type { NodeState } from "./snapshot.js";

/** A CPU average of older samples is not known. */
const SAMPLES_COUNT_MS = 30 * 60 * 1000;

/** A node as it is stored: what is the same at every moment until somebody writes it. */
export interface StoredNode {
  /** The row's id. */
  readonly id: number;
  /** Nothing is reserved yet, and the CPU average is there however old it is. */
  readonly state: NodeState;
  /** When the newest sample was taken, milliseconds since 1970; null: never. */
  readonly sampledAt: number | null;
}

/** Room that is reserved for queued jobs, or for guests that wait for their turn in a run, on one storage. */
export interface ReservedRoom {
  readonly hostId: number;
  /** The node's id. */
  readonly nodeId: number;
  /** Null: not chosen yet. */
  readonly storage: string | null;
  readonly memoryMb: number;
  readonly diskBytes: number;
}

/** @returns the states of the nodes at the moment `now`, milliseconds since 1970; most are the stored ones themselves. */
export function atMoment(
  stored: Iterable<StoredNode>,
  reservations: readonly ReservedRoom[],
  now: number,
): NodeState[] {
  const ofHosts = Map.groupBy(reservations, ({ hostId }) => hostId);
  const states: NodeState[] = [];
  for (const node of stored) {
    const reserved = ofHosts.get(node.state.host.id);
    const state = withKnownAverage(node, now);
    states.push(reserved === undefined ? state : withReservations(state, node, reserved));
  }
  return states;
}

const withKnownAverage = ({ state, sampledAt }: StoredNode, now: number): NodeState =>
  state.cpuAverage === null || (sampledAt !== null && sampledAt > now - SAMPLES_COUNT_MS)
    ? state
    : { ...state, cpuAverage: null };

/** A disk on a storage that nodes share takes room on all of them. */
function withReservations(state: NodeState, { id }: StoredNode, ofHost: readonly ReservedRoom[]): NodeState {
  const here = ofHost.filter(({ nodeId }) => nodeId === id);
  return {
    ...state,
    memoryReservedMb: sum(here.map(({ memoryMb }) => memoryMb)),
    storages: state.storages.map((storage) => {
      const reservations = storage.shared ? ofHost : here;
      const onStorage = reservations.filter((reserved) => reserved.storage === storage.name);
      return { ...storage, reservedBytes: sum(onStorage.map(({ diskBytes }) => diskBytes)) };
    }),
  };
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
