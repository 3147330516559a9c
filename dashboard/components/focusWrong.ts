// Leads to the first field of a form that keeps it from being sent, which may be far above the button.
import type { FormErrors, UseFormReturnType } from "@mantine/form";

export const focusWrong =
  <Values extends object>(form: UseFormReturnType<Values>) =>
  (errors: FormErrors): void => {
    const [first] = Object.keys(errors);
    if (first !== undefined) form.getInputNode(first)?.focus();
  };
