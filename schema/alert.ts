// The GraphQL view of what an operator should know of.
import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { AlertCode } from "../src/core/enums.js";
import { pageType } from "./page.js";
import { DateTime } from "./scalars.js";

registerEnumType(AlertCode, {
  name: "AlertCode",
  description: "What is alerted of. Safety copies, templates and guests that move are never counted against a plan.",
  valuesConfig: {
    GUEST_OVER_PLAN: { description: "A guest has more cores, RAM or disk than its plan allows." },
    GUEST_PAST_RUNTIME: { description: "A guest is older than the days of its plan." },
    GUEST_REPLACED: {
      description:
        "Another guest is found under the VMID of one that had an owner: it has none until it is given to a user.",
    },
    NODE_OFFLINE: { description: "A node of an active host is offline." },
    AGENT_STALE: { description: "An agent was silent for more than 180 s." },
    INVENTORY_STALE: { description: "An active host was not read for more than 5 minutes." },
    HOST_CONNECTED_TWICE: {
      description:
        "The machines of an active host are those of another host too, as after it joined that host's cluster: it is not read until one of the two is removed.",
    },
    MIGRATION_FAILED: { description: "A guest's last move failed." },
    DUTY_UNATTENDED: {
      description:
        "No process has done a part of the service's standing work for 2 minutes, such as reading the hosts.",
    },
    TASK_OVERDUE: { description: "A scheduled task, such as a daily prune, fails or was not finished in time." },
    REQUEST_LOG_BUDGET: {
      description:
        "The request log takes 80 % of `requestLogMaxMb` or more, or days of it were dropped within the last 7 days to keep it below.",
    },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: "Something that an operator should know of; nothing is done about it.",
})
export class Alert {
  @Field(() => AlertCode, { description: "What it is." })
  readonly code!: AlertCode;

  @Field(() => String, { description: "The same in words, with the figures." })
  readonly message!: string;

  @Field(() => Int, { nullable: true, description: "Id of the host; null when it is about the service itself." })
  readonly hostId!: number | null;

  @Field(() => String, { nullable: true, description: "Name of the node; null when it is about the host." })
  readonly node!: string | null;

  @Field(() => Int, { nullable: true, description: "Id of the guest." })
  readonly guestId!: number | null;

  @Field(() => Int, { nullable: true, description: "VMID of the guest." })
  readonly vmid!: number | null;

  @Field(() => Int, { nullable: true, description: "Id of the migration that failed." })
  readonly migrationId!: number | null;

  @Field(() => DateTime, { nullable: true, description: "Since when it is so; null when that is not known." })
  readonly since!: string | null;
}

export const AlertPage = pageType(() => Alert, "AlertPage");
