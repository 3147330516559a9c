// Texts of the sign-in form.
export const texts = {
  documentTitle: "Sign in · Drover",
  heading: "Drover",
  text: "Sign in to the panel",
  username: "Username",
  usernameMissing: "Enter your username",
  password: "Password",
  passwordMissing: "Enter your password",
  remember: "Stay signed in",
  signIn: "Sign in",
  code: "Code",
  codeHelp: "The six digits that your authenticator app shows now, or a recovery code.",
  codeMissing: "Enter a code",
  codeWrong: "The code is wrong, or was used already",
  back: "Back",
};
