import {
  type Operation,
  type OperationName,
  operationNames,
  operations,
  parseExact,
  type ToolBinding,
} from '@mem-service/contract';
import { isPaged } from '@mem-service/sdk';
import type { z } from 'zod';
import { inputSchema, outputSchema, type Shape } from './json-schema.ts';
import { cutMembers, previewLists, trimmed } from './previews.ts';
import { argumentError, problemOf, refusal } from './refusals.ts';
import { unquoted } from './rules/arguments.ts';
import { type JsonObject, type McpSession, traceIdOf } from './session.ts';
import { idempotentHints, once, readHints, type Tool, type ToolAnswer, writeHints } from './tool.ts';

/** A tool for each binding in the table of operations. */
export const derivedTools: readonly Tool[] = operationNames.flatMap((name) => {
  const operation: Operation = operations[name];
  return (operation.tools ?? []).map((binding) => toTool(name, binding));
});

function shapeOf(operation: Operation): Shape {
  return (operation.input as z.ZodObject).shape as Shape;
}

function toTool(name: OperationName, binding: ToolBinding): Tool {
  const operation: Operation = operations[name];
  const hints = operation.effect !== 'write' ? readHints : binding.idempotent ? idempotentHints : writeHints;
  const listed = once(() => ({
    name: binding.name,
    description: binding.description,
    inputSchema: inputSchema(offered(operation, binding), binding),
    outputSchema: outputSchema(operation.output, binding.gives),
    annotations: hints,
  }));
  return {
    name: binding.name,
    toolset: binding.toolset,
    listed,
    run: (args, session) => run({ name, operation, binding }, unquoted(args, listed().inputSchema.properties), session),
  };
}

/** The input fields that the tool offers. */
function offered(operation: Operation, { fields }: ToolBinding): Shape {
  const shape = shapeOf(operation);
  return Object.fromEntries(fields.map((field) => [field, shape[field] as z.ZodType]));
}

type Bound = { name: OperationName; operation: Operation; binding: ToolBinding };

async function run(bound: Bound, args: JsonObject, session: McpSession): Promise<ToolAnswer> {
  const { name, operation, binding } = bound;
  const unknown = Object.keys(args).find((argument) => !binding.fields.includes(argument));
  if (unknown !== undefined)
    return argumentError(unknown, `is not an argument of ${binding.name}; it takes ${binding.fields.join(', ')}`);
  try {
    const input = await inputOf(bound, args, session);
    const text = await session.service.call(name, input, session.identity.caller());
    const json = parseExact(text) as JsonObject;
    if (operation.seals && typeof json.trace_id === 'string') session.lastTraceId = json.trace_id;
    return shown(bound, json, text);
  } catch (error) {
    const problem = problemOf(error);
    if (!problem) throw error;
    if (problem.code !== 'not_found' || binding.miss === undefined) return refusal(problem);
    return { json: { status: 'not_found', ...args, message: problem.detail, hint: `try ${binding.miss}` } };
  }
}

/** Builds the operation's input from the arguments and the defaults of the session. */
async function inputOf({ operation, binding }: Bound, args: JsonObject, session: McpSession): Promise<JsonObject> {
  const shape = shapeOf(operation);
  // Models send null for arguments that they leave out.
  const input = Object.fromEntries(
    Object.entries(args).filter(([field, value]) => value !== null || field === 'value'),
  );
  const { self, limit } = binding;
  if (self !== undefined) input[self] ??= session.identity.caller().agent_id;
  if (limit !== undefined) input.limit ??= limit;
  if ('branch' in shape) input.branch ??= session.branch;
  if (input.trace_id !== undefined) input.trace_id = await traceIdOf(session, input.trace_id);
  return input;
}

function shown({ name, operation, binding }: Bound, json: JsonObject, text: string): ToolAnswer {
  const { whole, gives, miss, previews } = binding;
  if (operation.effect === 'write') return { json: written(json) };
  if (gives?.includes('value')) return { json: trimmed(json) };
  const lists = Object.values(json).filter(Array.isArray);
  const isEmpty = json.entries_scanned === 0 || (lists.length > 0 && lists.every((list) => list.length === 0));
  const hint = isEmpty && miss !== undefined && !whole ? { hint: `nothing found: try ${miss}` } : {};
  if (!whole && (isPaged(name) || previews)) return { json: { ...previewLists(json), ...hint } };
  return 'hint' in hint ? { json: { ...json, ...hint } } : { json, text };
}

/** Members that the writer has just sent itself. */
const GIVEN_BY_WRITER = new Set(['value', 'provenance', 'artifact_refs', 'tier', 'ttl_at']);

function written(json: JsonObject): JsonObject {
  const news = Object.entries(json).filter(([member]) => !GIVEN_BY_WRITER.has(member));
  return cutMembers(trimmed(Object.fromEntries(news)));
}
