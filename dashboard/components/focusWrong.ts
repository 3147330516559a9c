// Leads to the first field of a form that keeps it from being sent, whether the form or the service found it wrong.
import type { FormErrors, UseFormReturnType } from "@mantine/form";
import type { CombinedError } from "urql";
import { problemsOf } from "../client/client.js";

/** The first wrong field may be far above the button. */
export const focusWrong =
  <Values extends object>(form: UseFormReturnType<Values>) =>
  (errors: FormErrors): void => {
    const [first] = Object.keys(errors);
    if (first !== undefined) form.getInputNode(first)?.focus();
  };

/**
 * Puts what the service says about fields beside them; `names` gives the form's names of fields that it calls otherwise.
 * The function that it makes tells whether the refusal was about nothing else.
 */
export const markWrong =
  <Values extends object>(form: UseFormReturnType<Values>, names: Readonly<Record<string, string>> = {}) =>
  (error: CombinedError): boolean => {
    const problems = problemsOf(error).map(({ field, message }) => [names[field] ?? field, message] as const);
    const own = Object.fromEntries(problems.filter(([name]) => name in form.getValues()));
    form.setErrors(own);
    focusWrong(form)(own);
    return problems.length > 0 && problems.every(([name]) => name in own);
  };
