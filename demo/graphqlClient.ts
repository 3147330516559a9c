// A GraphQL client for the demo, which uses the service as any client would.
import { z } from "zod";

const answer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string() })).optional(),
});

/** Runs one operation. `read` checks the data. @throws Error with the service's messages */
export type Ask = <Data>(document: string, variables: Record<string, unknown>, read: z.ZodType<Data>) => Promise<Data>;

/** A client with this bearer token; null: nobody. */
function graphqlClient(url: string, token: string | null): Ask {
  return async (document, variables, read) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query: document, variables }),
    });
    const { data, errors } = answer.parse(await response.json());
    if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join("; "));
    return read.parse(data);
  };
}

/** Signs in and gives a client for what follows. */
export async function signIn(url: string, username: string, password: string): Promise<Ask> {
  const { login } = await graphqlClient(url, null)(
    `mutation ($username: String!, $password: String!) { login(username: $username, password: $password) { token } }`,
    { username, password },
    z.object({ login: z.object({ token: z.string() }) }),
  );
  return graphqlClient(url, login.token);
}
