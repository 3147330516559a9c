// Sets the colour scheme before anything is painted, so that a dark panel never flashes white.
const kept = window.localStorage.getItem("mantine-color-scheme-value");
const dark = kept === "dark" || (kept !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
