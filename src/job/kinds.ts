// Which shape the jobs of each kind are stored in, and which versions of it this release reads.
import { JobKind } from "../core/enums.js";
import { guestCreate } from "./guestCreate.js";
import { guestDelete } from "./guestDelete.js";
import { guestReinstall } from "./guestReinstall.js";
import { migration } from "./migration.js";
import { run } from "./run.js";
import { currentVersion, openShape, type Shape, type StoredJson, type StoredRow } from "./shape.js";

export const SHAPES: Readonly<Record<JobKind, Shape>> = {
  [JobKind.GUEST_CREATE]: guestCreate,
  [JobKind.GUEST_REINSTALL]: guestReinstall,
  [JobKind.GUEST_DELETE]: guestDelete,
  [JobKind.SAFETY_COPY_DELETE]: guestDelete,
  [JobKind.MIGRATION]: migration,
  [JobKind.EVACUATION]: run,
  [JobKind.BALANCE_RUN]: run,
};

/** The rows of a job, as far as its JSON is read with them. */
export interface StoredJob extends StoredRow {
  readonly kind: JobKind;
  readonly version: number;
  readonly input: unknown;
  readonly facts: unknown;
}

/** Reads what a job has stored, in the current shape of its kind. @throws Unreadable */
export const openStored = (job: StoredJob): StoredJson => openShape(SHAPES[job.kind], job);

/** The version in which jobs of this kind are stored now. */
export const versionOf = (kind: JobKind): number => currentVersion(SHAPES[kind]);

/** The newest version of each kind that this release reads. */
export const READABLE_VERSIONS: ReadonlyMap<JobKind, number> = new Map(
  Object.values(JobKind).map((kind) => [kind, versionOf(kind)]),
);
