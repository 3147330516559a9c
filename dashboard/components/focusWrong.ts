// Leads to the first field of a form that keeps it from being sent, whether the form or the service found it wrong.
import type { FormErrors, UseFormReturnType } from "@mantine/form";
import type { CombinedError } from "urql";
import { problemsOf, reasonsOf } from "../client/client.js";
import { inFormWords } from "../texts/common.js";

/** The first wrong field may be far above the button. */
export const focusWrong =
  <Values extends object>(form: UseFormReturnType<Values>) =>
  (errors: FormErrors): void => {
    const [first] = Object.keys(errors);
    if (first !== undefined) form.getInputNode(first)?.focus();
  };

/**
 * Puts what the service says about fields beside them; `names` gives the form's names of fields that it calls otherwise.
 * Of an element of a list, such as `sshKeys[0]`, the list's field tells which one it is, counted from 1.
 * The function that it makes tells whether the refusal was about nothing else.
 */
export const markWrong =
  <Values extends object>(form: UseFormReturnType<Values>, names: Readonly<Record<string, string>> = {}) =>
  (error: CombinedError): boolean => {
    const problems = problemsOf(error).map(({ field, message }) => {
      const [list = field, place] = field.split(/[[\]]/);
      const text = inFormWords(message);
      return [names[list] ?? list, place === undefined ? text : `${Number(place) + 1}: ${text}`] as const;
    });
    const own = Object.fromEntries(problems.filter(([name]) => name in form.getValues()));
    form.setErrors(own);
    focusWrong(form)(own);
    return problems.length > 0 && problems.every(([name]) => name in own);
  };

/**
 * Puts the words for a refusal's reason beside the field that it is about.
 * The function that it makes tells whether the reason is one of these.
 */
export const markReason =
  <Values extends object>(form: UseFormReturnType<Values>) =>
  (error: CombinedError, words: Readonly<Record<string, FormErrors>>): boolean => {
    const wrong = reasonsOf(error).map((reason) => words[reason])[0];
    if (wrong === undefined) return false;
    form.setErrors(wrong);
    focusWrong(form)(wrong);
    return true;
  };
