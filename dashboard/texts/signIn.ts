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
};
