// Texts of the page that runs GraphQL operations by hand.
export const texts = {
  title: "GraphiQL",
  frame: "GraphiQL editor",
  notJson: (status: number): string => `The answer with status ${status} is not JSON`,
  unreachable: "The service cannot be reached",
  closed: (code: number, reason: string): string => `The connection was closed: ${code} ${reason}`,
};
