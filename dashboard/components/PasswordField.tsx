// A field for a password that also shows to a screen reader that it is wrong, and why, which the library's own does not.
import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import { useId } from "react";

export function PasswordField({ error, ...input }: PasswordInputProps) {
  const id = useId();
  const wrong = error ? { "aria-invalid": true, "aria-describedby": id } : {};
  return <PasswordInput error={error} errorProps={{ id }} {...wrong} {...input} />;
}
