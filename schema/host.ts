// The GraphQL view of a host: one connection to a standalone node or to a cluster.
import { Field, Int, ObjectType } from "type-graphql";
import { HostKind } from "./enums.js";
import { Node } from "./node.js";
import { pageType } from "./page.js";
import { DateTime } from "./scalars.js";

@ObjectType({ simpleResolvers: true, description: "A connected Proxmox VE host: one standalone node or one cluster." })
export class Host {
  @Field(() => Int, { description: "Id in the service." })
  readonly id!: number;

  @Field(() => String, { description: "Display name." })
  readonly name!: string;

  @Field(() => String, { description: "Address of the host." })
  readonly hostname!: string;

  @Field(() => Int, { description: "TCP port of the platform's API." })
  readonly port!: number;

  @Field(() => String, { description: "Login user of the connection with its realm, such as `root@pam`." })
  readonly user!: string;

  @Field(() => Boolean, { description: "Whether the service uses this connection." })
  readonly active!: boolean;

  @Field(() => HostKind, { description: "Standalone node or cluster." })
  readonly kind!: HostKind;

  @Field(() => String, { nullable: true, description: "Name of the cluster; null for a standalone node." })
  readonly clusterName!: string | null;

  @Field(() => String, { nullable: true, description: "Proxmox VE version; null until the first sync." })
  readonly version!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Pinned SHA-256 fingerprint of the certificate; null: a trusted authority must have signed it.",
  })
  readonly tlsFingerprint!: string | null;

  @Field(() => Boolean, {
    description:
      "Whether moves to this host may go by a temporary token with all rights of the connection's user where the connection cannot limit it: the source host holds that token while the guest moves. Without it such a move is refused.",
  })
  readonly allowUnrestrictedMoveToken!: boolean;

  @Field(() => Boolean, { description: "Whether new guests and migrations are kept off this host." })
  readonly maintenance!: boolean;

  @Field(() => DateTime, { nullable: true, description: "Since when maintenance is on." })
  readonly maintenanceSince!: string | null;

  @Field(() => DateTime, { nullable: true, description: "Last successful reading of the inventory." })
  readonly lastSyncAt!: string | null;

  @Field(() => String, { nullable: true, description: "Why the last reading failed; null when it succeeded." })
  readonly lastSyncError!: string | null;

  @Field(() => [Node], { description: "Nodes by name." })
  readonly nodes!: readonly Node[];

  @Field(() => Int, {
    description: "Guests on the host that the caller may see, templates and safety copies included.",
  })
  readonly guestCount!: number;
}

export const HostPage = pageType(() => Host, "HostPage");
