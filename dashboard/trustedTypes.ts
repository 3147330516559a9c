// Decides which text may become part of the page as HTML: styles of components, and nothing that has an element in it.

interface PolicyRules {
  createHTML(text: string): string | null;
}

/** What browsers with Trusted Types have. */
interface TrustedTypes {
  createPolicy(name: string, rules: PolicyRules): unknown;
}

declare global {
  interface Window {
    readonly trustedTypes?: TrustedTypes;
  }
}

/** The page's content policy admits this one. It has no rule for scripts: no text becomes one. */
export function admitStylesAlone(): void {
  window.trustedTypes?.createPolicy("default", { createHTML: (text) => (text.includes("<") ? null : text) });
}
