// What is taken although a rule speaks against it: why, and until which day. From then on the check fails until somebody has looked again.

/** By the name of a package; a star stands for the rest of a name. */
export const LICENSE_EXCEPTIONS = [
  {
    subject: "axe-core",
    reason: "MPL-2.0: checks pages in tests, and nothing of it is served",
    until: "2027-11-30",
  },
  {
    subject: "lightningcss*",
    reason: "MPL-2.0: writes the panel's style sheet in the build, and nothing of it gets into it",
    until: "2027-11-30",
  },
];

/** By the identifier of an advisory: GHSA-…. */
export const ADVISORY_EXCEPTIONS = [];

/** Whether an exception covers this today, a day as in 2027-11-30. */
export const isExcepted = (exceptions, subject, today) =>
  exceptions.some((exception) => covers(exception.subject, subject) && today < exception.until);

const covers = (pattern, subject) =>
  pattern.endsWith("*") ? subject.startsWith(pattern.slice(0, -1)) : subject === pattern;
