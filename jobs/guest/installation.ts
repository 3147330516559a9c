// What creations and reinstallations share: the mark by which a job recognises its own guest, and how its owner gets in.
import { guestSecrets, type GuestSecrets } from "../../src/job/creationInput.js";
import type { InstallFacts } from "../../src/job/guestCreate.js";
import type { ContainerRights, GuestConfig } from "../../src/hypervisor/guestConfig.js";
import type { StepContext } from "../engine/step.js";

export type { InstallFacts };

/** As in the platform's own dialog: the systemd of current distributions needs nesting. */
export const USUAL_RIGHTS: ContainerRights = { unprivileged: true, nesting: true };

export type InstallContext = StepContext<InstallFacts>;

/** The note on a guest that is being made: proof, after a crash, that it is this job's and may be rolled back. */
export const markOf = (context: StepContext): string => `${context.services.config.brand} job ${context.job.id}`;

/** Whether the guest carries this job's mark. */
export const isOwn = (context: StepContext, config: GuestConfig): boolean => config.note === markOf(context);

/** How the guest's owner gets in. */
export function secretsOf(context: StepContext): GuestSecrets {
  const text = context.secrets();
  return text === null ? { password: null, sshKeys: [] } : guestSecrets.parse(JSON.parse(text));
}
