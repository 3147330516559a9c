// Refuses subscriptions whose only field stands under @skip or @include: without it there is nothing to follow.
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";

const CONDITIONS: ReadonlySet<string> = new Set(["skip", "include"]);

/**
 * To be asked before a document is validated: graphql-js itself fails over such a subscription, whichever operation is wanted.
 * @throws GraphQLError with the code `VALIDATION_FAILED`
 */
export function refuseConditionalSubscriptions(document: DocumentNode): void {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION || definition.operation !== OperationTypeNode.SUBSCRIPTION)
      continue;
    const conditional = rootSelections(document, definition.selectionSet).find(isConditional);
    if (conditional !== undefined) {
      throw new GraphQLError("The field of a subscription must not stand under @skip or @include", {
        nodes: conditional,
        extensions: { code: "VALIDATION_FAILED" },
      });
    }
  }
}

/** What is selected at the root, also by fragments; each of them once. */
function rootSelections(document: DocumentNode, root: SelectionSetNode): SelectionNode[] {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition.selectionSet] as const] : [],
    ),
  );
  const found: SelectionNode[] = [];
  const waiting = [root];
  for (const { selections } of waiting) {
    found.push(...selections);
    for (const selection of selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) waiting.push(selection.selectionSet);
      if (selection.kind === Kind.FRAGMENT_SPREAD) waiting.push(...take(fragments, selection.name.value));
    }
  }
  return found;
}

function take(fragments: Map<string, SelectionSetNode>, name: string): SelectionSetNode[] {
  const set = fragments.get(name);
  fragments.delete(name);
  return set === undefined ? [] : [set];
}

const isConditional = ({ directives }: SelectionNode): boolean =>
  directives?.some(({ name }) => CONDITIONS.has(name.value)) ?? false;
