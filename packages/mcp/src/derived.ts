import {
  attachRaw,
  JsonText,
  type Operation,
  type OperationName,
  operationNames,
  operations,
  parseExact,
  type ToolBinding,
} from '@mem-service/contract';
import { isPaged } from '@mem-service/sdk';
import type { z } from 'zod';
import { toTable } from './hits.ts';
import { inputSchema, isRequired, type Shape } from './json-schema.ts';
import { cutMembers, previewLists, trimmed, trimmedWithin } from './previews.ts';
import { argumentError, problemOf, refusal } from './refusals.ts';
import { isJsonText, unquoted } from './rules/arguments.ts';
import { branchFor, type JsonObject, type McpSession, traceIdOf } from './session.ts';
import {
  once,
  readHints,
  removalHints,
  type Tool,
  type ToolAnnotations,
  type ToolAnswer,
  type ToolCallContext,
  writeHints,
} from './tool.ts';

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
  const { slim } = binding;
  const listing = (fields: readonly string[]) =>
    once(() => ({
      name: binding.name,
      description: binding.description,
      inputSchema: inputSchema(shapeWith(operation, fields), binding),
      annotations: hintsOf(operation, binding),
    }));
  const listed = listing(binding.fields);
  const given = [...binding.fields, ...(binding.unlisted ?? [])];
  const takes = [...given, ...(binding.shows ?? []).map(askingFor)];
  const expected = once(() => inputSchema(shapeWith(operation, given)).properties);
  const bound = { name, operation, binding, takes };
  return {
    name: binding.name,
    toolset: binding.toolset,
    operation: name,
    listed,
    ...(slim ? { listedSlim: listing(slim) } : {}),
    run: (args, session, call) => run(bound, unquoted(exactly(operation, args, call), expected()), session),
  };
}

function hintsOf({ effect, removes }: Operation, { destroys }: ToolBinding): ToolAnnotations {
  if (effect !== 'write') return readHints;
  return removes === undefined && !destroys ? writeHints : removalHints;
}

/** Values are stored as they were written: numbers keep all their digits. */
function exactly({ raw }: Operation, args: JsonObject, { exact }: ToolCallContext): JsonObject {
  if (!raw || exact === undefined) return args;
  const copy = parseArguments(exact) ?? args;
  attachRaw(exact, copy, raw);
  return copy;
}

function parseArguments(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

/** These fields of the operation's input. */
function shapeWith(operation: Operation, fields: readonly string[]): Shape {
  const shape = shapeOf(operation);
  return Object.fromEntries(fields.map((field) => [field, shape[field] as z.ZodType]));
}

/** The argument that asks for a member of the hits. */
function askingFor(member: string): string {
  return `include_${member}`;
}

const NO_BRANCH = 'mem_branch_list shows which there are';

type Bound = { name: OperationName; operation: Operation; binding: ToolBinding; takes: readonly string[] };

async function run(bound: Bound, args: JsonObject, session: McpSession): Promise<ToolAnswer> {
  const { name, operation, binding, takes } = bound;
  const unknown = Object.keys(args).find((argument) => !takes.includes(argument));
  if (unknown !== undefined)
    return argumentError(unknown, `is not an argument of ${binding.name}; it takes ${takes.join(', ')}`);
  const refused = refusedChoice(bound, args);
  if (refused) return refused;
  try {
    const input = await inputOf(bound, args, session);
    const text = await session.service.call(name, input, session.identity.caller());
    const json = parseExact(text) as JsonObject;
    if (operation.seals && typeof json.trace_id === 'string') session.lastTraceId = json.trace_id;
    return { json: shown(bound, args, json), isTrimmed: operation.effect === 'write' && !isDeletedEntry(json) };
  } catch (error) {
    const problem = problemOf(error);
    if (!problem) throw error;
    if (problem.code === 'branch_not_found' && !('branch' in args)) return refusal(problem, NO_BRANCH);
    if (problem.code !== 'not_found' || binding.miss === undefined) return refusal(problem);
    const hint = `try ${binding.miss}`;
    // To find no entry is an answer; what a model wants to decide by its id has to be there.
    if (operation.effect === 'write' && operation.module !== 'entries') return refusal(problem, hint);
    return { json: { status: 'not_found', ...args, message: problem.detail, hint } };
  }
}

/** A value that the operation takes, and this tool of it does not. */
function refusedChoice({ operation, binding: { choices = {} } }: Bound, args: JsonObject): ToolAnswer | undefined {
  const shape = shapeOf(operation);
  for (const [field, taken] of Object.entries(choices)) {
    const value = args[field] ?? undefined;
    if (value === undefined && isRequired(shape[field] as z.ZodType, taken)) return argumentError(field, 'is required');
    if (value !== undefined && !taken.includes(value as string))
      return argumentError(field, `must be one of ${taken.join(', ')}`);
  }
  return undefined;
}

/** Builds the operation's input from the arguments and the defaults of the session. */
async function inputOf({ operation, binding }: Bound, args: JsonObject, session: McpSession): Promise<JsonObject> {
  const shape = shapeOf(operation);
  // Models send null for arguments that they leave out; a value that must be given may be null.
  const isGiven = (field: string, value: unknown) =>
    (value instanceof JsonText ? value.value : value) !== null ||
    (field === 'value' && isRequired(shape[field] as z.ZodType));
  const input = Object.fromEntries(
    Object.entries(args).filter(([field, value]) => field in shape && isGiven(field, value)),
  );
  const { self, limit, now, json } = binding;
  if (json !== undefined) input[json] = readAsJson(input[json]);
  if (self !== undefined) input[self] ??= session.identity.caller().agent_id;
  if (limit !== undefined) input.limit ??= limit;
  if (now !== undefined) input[now] ??= new Date().toISOString();
  const branch = 'branch' in shape ? branchFor(session, pathsIn(operation, input)) : undefined;
  if (branch !== undefined) input.branch ??= branch;
  if (input.trace_id !== undefined) input.trace_id = await traceIdOf(session, input.trace_id);
  if (Array.isArray(input.trace_ids))
    input.trace_ids = await Promise.all(input.trace_ids.map((id) => traceIdOf(session, id)));
  if (operation.seals) input.session_metadata = session.identity.metadata();
  return input;
}

function readAsJson(given: unknown): unknown {
  const value = given instanceof JsonText ? given.value : given;
  return isJsonText(value) ? new JsonText(value) : given;
}

function pathsIn({ drafts_in }: Operation, input: JsonObject): unknown[] {
  const drafts = drafts_in === undefined ? undefined : input[drafts_in];
  const within = Array.isArray(drafts) ? drafts.map((draft: JsonObject | null) => draft?.entity_path) : [];
  return [input.entity_path, ...within];
}

function shown({ name, operation, binding }: Bound, args: JsonObject, json: JsonObject): JsonObject {
  const { whole, hits, miss, previews } = binding;
  if (operation.effect === 'write') return written(json, args);
  const hint =
    isWithoutResults({ name, operation }, json) && miss !== undefined ? { hint: `nothing found: try ${miss}` } : {};
  if (whole) return { ...(trimmedWithin(json) as JsonObject), ...hint };
  const also = (binding.shows ?? []).filter((member) => String(args[askingFor(member)]) === 'true');
  if (hits) return { ...toTable(json, { now: Date.now(), also }), ...hint };
  if (isPaged(name)) return { ...previewLists(json), ...hint };
  return { ...trimmed(previews ? previewLists(json) : json), ...hint };
}

/** Where it is an error that a thing is not there, an answer shows that thing, and lists within it may be empty. */
function isWithoutResults({ name, operation }: Pick<Bound, 'name' | 'operation'>, json: JsonObject): boolean {
  if (operation.errors.includes('not_found') && !isPaged(name)) return false;
  const lists = Object.values(json).filter(Array.isArray);
  return json.entries_scanned === 0 || (lists.length > 0 && lists.every((list) => list.length === 0));
}

/** Members that the writer has just sent itself. */
const GIVEN_BY_WRITER = new Set(['value', 'provenance', 'artifact_refs', 'ttl_at']);

const isDeletedEntry = (json: JsonObject): boolean => json.deleted === true && 'version' in json;

function written(json: JsonObject, args: JsonObject): JsonObject {
  if (isDeletedEntry(json)) {
    const { entity_path, key, version } = json;
    return { entity_path, key, version, deleted: true, hint: 'mem_restore brings it back' };
  }
  const isSent = (member: string) => GIVEN_BY_WRITER.has(member) && (member !== 'value' || 'value' in args);
  const news = Object.entries(json).filter(([member, value]) => !isSent(member) && value !== UNCHANGED[member]);
  return cutMembers(trimmedWithin(Object.fromEntries(news)) as JsonObject);
}

/** What goes without saying after a write. */
const UNCHANGED: Readonly<Record<string, unknown>> = { unchanged: false, duplicate: false };
