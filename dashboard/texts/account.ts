// Texts of the page of one's own account, and of changing the own password.
export const texts = {
  title: "Account",
  name: "Username",
  email: "E-mail",
  role: "Role",
  password: {
    change: "Change password",
    rules: (shortest: number): string =>
      `At least ${shortest} characters. Not your username or e-mail address, and not one of the most used passwords.`,
    current: "Present password",
    currentMissing: "Enter your present password",
    wrong: "The present password is wrong",
    next: "New password",
    again: "New password again",
    different: "The two new passwords differ",
    changed: "Password changed. Your other sessions have ended.",
    failed: "The password could not be changed",
  },
};
