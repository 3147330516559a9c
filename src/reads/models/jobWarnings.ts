// Reads what the steps of a job warn of.

/** @param jobId SQL of the job's id. @returns SQL of a list of texts, in the order of the steps */
export const jobWarningsSql = (jobId: string): string =>
  `array(select s.error from job_step s where s.job_id = ${jobId} and s.status = 'warned' and s.error is not null order by s.position)`;
