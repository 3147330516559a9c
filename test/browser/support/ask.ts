// Asks the service behind the panel directly, as a second person or a program does.
import { z } from "zod";
import { panel } from "./panel.js";

const answer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string() })).optional(),
});

const session = z.object({ login: z.object({ token: z.string() }) });

/** @throws Error with the service's words when it refuses */
async function askGraphql(token: string | null, query: string, variables: object): Promise<unknown> {
  const response = await fetch(`${panel.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors = [] } = answer.parse(await response.json());
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("; "));
  return data;
}

/** Ends the session with this token, as another program that holds it could. */
export const endSession = (token: string): Promise<unknown> => askGraphql(token, "mutation { logout }", {});

/** @returns a way to ask as the admin, in a session apart from the browser's */
export async function secondPerson(): Promise<(query: string, variables?: object) => Promise<unknown>> {
  const { login } = session.parse(
    await askGraphql(
      null,
      `mutation ($username: String!, $password: String!) { login(username: $username, password: $password) { token } }`,
      panel.admin,
    ),
  );
  return (query, variables = {}) => askGraphql(login.token, query, variables);
}
