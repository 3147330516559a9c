// Texts of the sessions and sign-ins of a person: their lists, and ending sessions.
import { count } from "../format.js";

export const texts = {
  title: "Sessions",
  empty: "No open sessions.",
  columns: {
    program: "Program",
    address: "IP address",
    signedIn: "Signed in",
    lastUsed: "Last used",
    expires: "Expires",
    actions: "Actions",
  },
  current: "this session",
  unknownProgram: "Unknown program",
  unknownAddress: "unknown",
  programOn: (program: string, system: string): string => `${program} on ${system}`,
  end: "End",
  endLabel: (program: string, address: string): string => `End the session of ${program} at ${address}`,
  ended: "Session ended.",
  endFailed: "The session could not be ended",
  endAllFailed: "The sessions could not be ended",
  endedAll: (sessions: number): string => `${count(sessions, "session")} ended.`,
  own: {
    endAll: "Sign out everywhere else…",
    question: "Sign out everywhere else?",
    verb: "Sign out everywhere else",
    warning: "All your sessions except this one end immediately.",
  },
  ofOther: {
    endAll: "Sign out everywhere…",
    question: (username: string): string => `Sign ${username} out everywhere?`,
    verb: "Sign out everywhere",
    warning: (username: string): string =>
      `All sessions of ${username} end immediately. The password stays, so ${username} can sign in again.`,
  },
  signIns: {
    title: "Sign-ins of the last 90 days",
    empty: "No sign-ins.",
    at: "Time",
    outcome: "Outcome",
    newAddress: "new address",
    outcomes: {
      SIGNED_IN: "Signed in",
      WRONG_PASSWORD: "Wrong password",
      WRONG_CODE: "Wrong code",
      ACCOUNT_DISABLED: "Account is disabled",
    },
  },
};
