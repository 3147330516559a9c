// Refuses requests over HTTP that name no operation of their document, or one that has no single answer.
import { getOperationAST, GraphQLError, OperationTypeNode, type DocumentNode } from "graphql";

/** @throws GraphQLError with the code `VALIDATION_FAILED` */
export function refuseUnserved(document: DocumentNode, operationName: string | null | undefined): void {
  const operation = getOperationAST(document, operationName);
  if (!operation) throw refusal(whyNone(operationName));
  if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
    throw refusal("Subscriptions are served over WebSocket (graphql-transport-ws), at this same path");
  }
}

const whyNone = (operationName: string | null | undefined): string =>
  typeof operationName === "string"
    ? `The document has no operation named ${JSON.stringify(operationName)}`
    : "The document has several operations: operationName must say which is meant";

const refusal = (message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: "VALIDATION_FAILED" } });
