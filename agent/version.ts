// The version of this agent, which the service compares with the one it requires.
export const AGENT_VERSION = "1.0.0";
