// What a change of the service's records looks like to views that read them again.
import { Field, ObjectType, registerEnumType } from "type-graphql";

/** Kinds of records that views show. */
export const ChangeKind = {
  GUEST: "guest",
  HOST: "host",
  JOB: "job",
  MIGRATION: "migration",
  RUN: "run",
  USER: "user",
  PLAN: "plan",
  TEMPLATE: "template",
  ADDRESS: "address",
  TOKEN: "token",
  SETTINGS: "settings",
  REQUEST: "request",
} as const;
export type ChangeKind = (typeof ChangeKind)[keyof typeof ChangeKind];

registerEnumType(ChangeKind, {
  name: "ChangeKind",
  description: "A kind of records that can change while they are looked at.",
  valuesConfig: {
    GUEST: { description: "Guests: made, changed or gone." },
    HOST: { description: "Hosts: read again, unreachable, or in maintenance; their nodes with them." },
    JOB: { description: "Jobs." },
    MIGRATION: { description: "Migrations." },
    RUN: { description: "Evacuations and balance runs." },
    USER: { description: "Users: made, changed or gone; their SSH keys and a reseller's nodes with them." },
    PLAN: { description: "Plans." },
    TEMPLATE: { description: "Templates of virtual machines and containers, and the files that nodes have." },
    ADDRESS: { description: "IP zones and who has which address of them." },
    TOKEN: { description: "API tokens: made, used, revoked." },
    SETTINGS: { description: "The settings." },
    REQUEST: {
      description:
        "The request log: requests of API tokens and refused ones. What people's sessions ask for is no news.",
    },
  },
});

@ObjectType({ description: "News that records of a kind are no longer as they were read." })
export class Change {
  @Field(() => ChangeKind, { description: "Which records to read again." })
  kind!: ChangeKind;
}
