// Lists the calls to a VM's guest agent and what they require.
import type { Requirement } from "../access/requirement.js";
import { anyPrivilege } from "../access/requirement.js";
import { may } from "../guests/rights.js";
import type { Route } from "../route.js";
import { answer } from "../route.js";
import { execute, executed, named, plain, readFile, setPassword, writeFile } from "./answers.js";
import { allPlainCommands, plainCommands } from "./parameters.js";

const agent = "/nodes/{node}/qemu/{vmid}/agent";
const others = ["exec", "exec-status", "file-read", "file-write", "set-user-password"];

/** One of the agent's privileges; before 9.0 there was a single one for all of them. */
function mayUse(...privileges: string[]): Requirement {
  return (question) => {
    const isOld = question.state.roles.get("Administrator")?.has("VM.Monitor") === true;
    const names = [...privileges, "Unrestricted"].map((name) => `VM.GuestAgent.${name}`);
    (isOld ? may("VM.Monitor") : anyPrivilege("/vms/{vmid}", names))(question);
  };
}

const mayLook = mayUse("Audit");
const mayAct: Requirement = mayUse();
const mayFreeze = mayUse("FileSystemMgmt");

function requirementOf(command: string): Requirement {
  if (command.startsWith("fs")) return mayFreeze;
  return command === "ping" ? mayLook : mayAct;
}

export const agentRoutes: Route[] = [
  {
    method: "GET",
    path: agent,
    requires: may("VM.Audit"),
    handle: () => answer([...allPlainCommands, ...others].toSorted().map((name) => ({ name }))),
  },
  { method: "POST", path: agent, requires: mayAct, handle: named },
  ...plainCommands.GET.map((command): Route => ({
    method: "GET",
    path: `${agent}/${command}`,
    requires: mayLook,
    handle: plain(command),
  })),
  ...plainCommands.POST.map((command): Route => ({
    method: "POST",
    path: `${agent}/${command}`,
    requires: requirementOf(command),
    handle: plain(command),
  })),
  { method: "POST", path: `${agent}/set-user-password`, requires: mayAct, handle: setPassword },
  { method: "POST", path: `${agent}/exec`, requires: mayAct, handle: execute },
  { method: "GET", path: `${agent}/exec-status`, requires: mayAct, handle: executed },
  { method: "GET", path: `${agent}/file-read`, requires: mayUse("FileRead"), handle: readFile },
  { method: "POST", path: `${agent}/file-write`, requires: mayUse("FileWrite"), handle: writeFile },
];
