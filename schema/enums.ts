// Makes the closed value sets of the domain GraphQL enums: names are the upper-case keys, values stay lower case inside.
import { registerEnumType } from "type-graphql";
import {
  GuestSortField,
  GuestStatus,
  GuestType,
  HostKind,
  JobKind,
  JobStatus,
  NodeStatus,
  PowerAction,
  SecondFactorMethod,
  SessionKind,
  SignInOutcome,
  SortDirection,
  UndoStatus,
  UserRole,
} from "../src/core/enums.js";

registerEnumType(GuestType, {
  name: "GuestType",
  description: "The two kinds of guests.",
  valuesConfig: {
    QEMU: { description: "A QEMU virtual machine." },
    LXC: { description: "An LXC container." },
  },
});
registerEnumType(GuestStatus, {
  name: "GuestStatus",
  description: "What a guest is doing, as last observed.",
  valuesConfig: {
    RUNNING: { description: "It runs." },
    STOPPED: { description: "It is shut down." },
    PAUSED: { description: "It is paused; its memory is kept." },
    SUSPENDED: { description: "It is suspended to disk." },
    UNKNOWN: { description: "Its node does not answer, or it has not been observed yet." },
  },
});
registerEnumType(NodeStatus, {
  name: "NodeStatus",
  description: "Whether a node answered at the last sync.",
  valuesConfig: {
    ONLINE: { description: "It answered." },
    OFFLINE: { description: "Its host says that it is offline." },
    UNKNOWN: { description: "Its host does not know." },
  },
});
registerEnumType(HostKind, {
  name: "HostKind",
  description: "What stands behind a connection.",
  valuesConfig: {
    STANDALONE: { description: "A node that is in no cluster." },
    CLUSTER: { description: "A cluster, whichever of its members is connected." },
  },
});
registerEnumType(PowerAction, {
  name: "PowerAction",
  description: "What can be done to a guest's power.",
  valuesConfig: {
    START: { description: "Starts it." },
    STOP: { description: "Stops it at once, like pulling the plug." },
    SHUTDOWN: { description: "Asks its system to shut down." },
    REBOOT: { description: "Asks its system to reboot." },
    SUSPEND: { description: "Pauses it; its memory is kept." },
    RESUME: { description: "Lets a paused guest continue." },
  },
});
registerEnumType(JobStatus, {
  name: "JobStatus",
  description: "The life of a job.",
  valuesConfig: {
    QUEUED: { description: "It waits for a worker." },
    RUNNING: { description: "A worker carries it out, or undoes what it did after a failure." },
    DONE: { description: "It has ended well." },
    FAILED: { description: "It has failed, and what it did was undone as far as possible." },
  },
});
registerEnumType(UndoStatus, {
  name: "UndoStatus",
  description: "The life of the undo of a step.",
  valuesConfig: {
    RUNNING: { description: "It began; after a restart of its worker it is repeated." },
    DONE: { description: "Nothing is left of what the step did." },
    KEPT: {
      description:
        "What the step did stays: the job was past the point from which it can be undone, or the service removes it later.",
    },
    FAILED: { description: "Something is left behind, or it met a fault: `error` has the words." },
  },
});
registerEnumType(JobKind, {
  name: "JobKind",
  description: "What a job does.",
  valuesConfig: {
    GUEST_CREATE: { description: "Creates a guest." },
    GUEST_REINSTALL: { description: "Reinstalls a guest." },
    GUEST_DELETE: { description: "Deletes a guest." },
    MIGRATION: { description: "Moves a guest to another host." },
    EVACUATION: { description: "Moves the chosen guests of a host away, one at a time." },
    BALANCE_RUN: { description: "Makes the moves that were chosen from a balance report, one at a time." },
    SAFETY_COPY_DELETE: { description: "Deletes a safety copy." },
  },
});
registerEnumType(UserRole, {
  name: "UserRole",
  description: "Who a person is to the service, which decides what they may do.",
  valuesConfig: {
    ADMIN: { description: "May do everything, including managing admins and operators." },
    OPERATOR: { description: "May do everything except managing admins and operators." },
    RESELLER: {
      description: "Manages customers of their own, and their guests on the nodes assigned to the reseller.",
    },
    CUSTOMER: { description: "Sees their own guests, switches their power and reinstalls them." },
  },
});
registerEnumType(SessionKind, {
  name: "SessionKind",
  description: "How a session is sent with each request.",
  valuesConfig: {
    BEARER: { description: "As a bearer token: by a program." },
    COOKIE: { description: "As a cookie: by a browser." },
  },
});
registerEnumType(SignInOutcome, {
  name: "SignInOutcome",
  description: "How a sign-in ended.",
  valuesConfig: {
    SIGNED_IN: { description: "A session was opened." },
    WRONG_PASSWORD: { description: "The password was wrong." },
    ACCOUNT_DISABLED: { description: "The password was right, and the account disabled." },
    WRONG_CODE: { description: "The password was right, and the code of the second factor wrong." },
  },
});
registerEnumType(SecondFactorMethod, {
  name: "SecondFactorMethod",
  description: "What proves who a person is, beside the password.",
  valuesConfig: {
    TOTP: { description: "A code of an authenticator app." },
    RECOVERY_CODE: {
      description: "One of the codes that were shown when the second factor was set up; each counts once.",
    },
  },
});
registerEnumType(SortDirection, {
  name: "SortDirection",
  description: "The direction of a sorted list.",
  valuesConfig: {
    ASC: { description: "Smallest first." },
    DESC: { description: "Largest first." },
  },
});
registerEnumType(GuestSortField, {
  name: "GuestSortField",
  description: "What a list of guests can be sorted by.",
  valuesConfig: {
    VMID: { description: "The VMID." },
    NAME: { description: "The name." },
    STATUS: { description: "The status." },
    MEMORY: { description: "The configured memory." },
    CPU: { description: "The CPU use at the last sync." },
    CREATED: { description: "When the service first knew of the guest." },
  },
});

export {
  GuestSortField,
  GuestStatus,
  GuestType,
  HostKind,
  JobKind,
  JobStatus,
  NodeStatus,
  PowerAction,
  SecondFactorMethod,
  SessionKind,
  SignInOutcome,
  SortDirection,
  UndoStatus,
  UserRole,
};
