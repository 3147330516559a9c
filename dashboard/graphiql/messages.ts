// What GraphiQL's frame and the page around it say to each other. The frame has no access to the service: the page asks for it.

/** Comes with the port over which the frame asks. */
export interface Opening {
  readonly scheme: "light" | "dark";
  /** What GraphiQL kept before, by its own names. */
  readonly kept: Readonly<Record<string, string>>;
}

/** An operation as GraphQL over HTTP has it. */
export interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown> | null;
  readonly operationName?: string | null;
}

/** Of the frame. */
export type Request =
  | {
      readonly kind: "run";
      /** Of the frame's own; its answers carry it. */
      readonly id: number;
      readonly operation: Operation;
      /** What the person typed beside the operation. */
      readonly headers: Readonly<Record<string, string>>;
      readonly subscribes: boolean;
    }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "keep"; readonly name: string; readonly text: string | null };

/** Of the page: results until the end. What went wrong is a result with errors. */
export type Answer =
  | { readonly kind: "result"; readonly id: number; readonly result: unknown }
  | { readonly kind: "end"; readonly id: number };
