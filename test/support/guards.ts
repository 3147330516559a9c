// The widest guards against overload, for a service whose tests are not about them: however slow the machine is, it refuses nothing for load.

export const WIDE_GUARDS = {
  DROVER_LATE_SECONDS: "60",
  DROVER_DATABASE_WAIT_SECONDS: "60",
  DROVER_STATEMENT_SECONDS: "300",
  DROVER_WORK_STATEMENT_SECONDS: "3600",
} as const;
