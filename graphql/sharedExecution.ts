// Executes a query once for all tabs and programs of one caller that ask it at the same time, and writes their answer once.
import {
  OperationTypeNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  type OperationDefinitionNode,
} from "graphql";
import { identityKey } from "../src/access/visibility.js";
import { readsUntil } from "../src/server/departure.js";
import { SharedWork } from "../src/sharedWork.js";
import type { ExecuteOperation } from "./compiledExecution.js";

/** A query may ask hosts and take seconds: who asks it meanwhile does not wait for all of that first. */
const LONGEST_WAIT_MS = 100;

/** @returns what executes operations as `execute` does, queries together with others that are the same */
export function sharedExecution(execute: ExecuteOperation): ExecuteOperation {
  const executions = new WeakMap<OperationDefinitionNode, SharedWork<ExecutionResult>>();

  return (asked) => {
    const { operation, variables, context } = asked;
    if (operation.operation !== OperationTypeNode.QUERY) return execute(asked);
    const { viewer, pool, readsFor } = context;
    return executionsOf(operation).join(
      JSON.stringify([variables, identityKey(viewer)]),
      (allLeft) => {
        const reads = allLeft === null ? undefined : readsUntil(() => allLeft, pool);
        return execute({ ...asked, context: { ...context, readsFor: reads } });
      },
      readsFor?.departure,
    );
  };

  function executionsOf(operation: OperationDefinitionNode): SharedWork<ExecutionResult> {
    const known = executions.get(operation) ?? new SharedWork<ExecutionResult>(LONGEST_WAIT_MS);
    executions.set(operation, known);
    return known;
  }
}

/** @returns what writes answers as JSON, the same data once */
export function answerWriter(): (answer: FormattedExecutionResult) => string {
  const written = new WeakMap<object, string>();

  return (answer) => {
    const { data, errors, extensions } = answer;
    if (!data || errors !== undefined || extensions !== undefined) return write(answer);
    const text = written.get(data) ?? write(answer);
    written.set(data, text);
    return text;
  };
}

/** With the end of line that Apollo Server gives its answers. */
const write = (answer: FormattedExecutionResult): string => `${JSON.stringify(answer)}\n`;
