// What a change of the service's records looks like to views that read them again.
import { Field, ObjectType, registerEnumType } from "type-graphql";

/** Kinds of records that views show. */
export const ChangeKind = {
  GUEST: "guest",
  HOST: "host",
  JOB: "job",
  MIGRATION: "migration",
  RUN: "run",
} as const;
export type ChangeKind = (typeof ChangeKind)[keyof typeof ChangeKind];

registerEnumType(ChangeKind, {
  name: "ChangeKind",
  description: "A kind of records that can change by themselves.",
  valuesConfig: {
    GUEST: { description: "Guests: made, changed or gone." },
    HOST: { description: "Hosts: read anew, unreachable, or in maintenance; their nodes with them." },
    JOB: { description: "Jobs." },
    MIGRATION: { description: "Migrations." },
    RUN: { description: "Evacuations and balance runs." },
  },
});

@ObjectType({ description: "News that records of a kind are no longer as they were read." })
export class Change {
  @Field(() => ChangeKind, { description: "Which records to read again." })
  kind!: ChangeKind;
}
