// All entities of the units of work.
import { ApiToken } from "./apiToken.js";
import { Session } from "./session.js";
import { SshKey } from "./sshKey.js";
import { UserAccount } from "./userAccount.js";

export const entities = [UserAccount, SshKey, Session, ApiToken];
