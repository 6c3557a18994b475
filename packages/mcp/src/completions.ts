import { traceShapes } from '@mem-service/contract';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { PromptArguments } from './prompts.ts';
import { type ArgumentKind, kindOf } from './prompts.ts';
import { problemOf } from './refusals.ts';
import { ENTRY_TEMPLATE } from './resources.ts';
import { callServiceUntraced, type JsonObject, type McpSession } from './session.ts';

/** A client's request to complete an argument of a prompt, or a part of a resource address. */
export type CompletionRequest = {
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };
  argument: { name: string; value: string };
  context?: { arguments?: PromptArguments | undefined } | undefined;
};

/** The limit of the protocol. */
const MAX_VALUES = 100;
const MAX_LOOKED_AT = 1000;

export async function complete({ ref, argument, context }: CompletionRequest, session: McpSession) {
  const kind = ref.type === 'ref/prompt' ? kindOf(ref.name, argument.name) : partOf(ref.uri, argument.name);
  const known =
    kind === undefined ? [] : await valuesOf(kind, session, { ...context?.arguments, typed: argument.value });
  const values = matching(known, argument.value);
  const hasMore = values.length > MAX_VALUES;
  return { completion: { values: values.slice(0, MAX_VALUES), total: values.length, hasMore } };
}

function partOf(uri: string, name: string): 'entity_path' | 'key' {
  if (uri === ENTRY_TEMPLATE && (name === 'entity_path' || name === 'key')) return name;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no ${name} in ${uri}; use ${ENTRY_TEMPLATE}`);
}

/** Values that begin with the typed text come first, then those that contain it. */
function matching(known: readonly string[], typed: string): string[] {
  const text = typed.toLowerCase();
  const places = known.map((value) => ({ value, at: value.toLowerCase().indexOf(text) }));
  const found = places.filter(({ at }) => at >= 0);
  return [...found.filter(({ at }) => at === 0), ...found.filter(({ at }) => at > 0)].map(({ value }) => value);
}

async function valuesOf(
  kind: ArgumentKind | 'key',
  session: McpSession,
  given: PromptArguments,
): Promise<readonly string[]> {
  if (kind === 'outcome_type') return traceShapes.outcomeTypes;
  const list = async (name: 'agents.list' | 'entities.list' | 'entries.list', input: JsonObject, field: string) => {
    const answer = await callServiceUntraced(session, name, { ...input, branch: session.branch, limit: MAX_LOOKED_AT });
    return (answer[name.slice(0, name.indexOf('.'))] as JsonObject[]).map((row) => String(row[field]));
  };
  try {
    if (kind === 'agent_id') return await list('agents.list', {}, 'agent_id');
    if (kind === 'key')
      return given.entity_path
        ? await list('entries.list', { entity_path: given.entity_path, fields: 'meta' }, 'key')
        : [];
    return await list('entities.list', pathFilterFor(given.typed ?? ''), 'entity_path');
  } catch (error) {
    // A partly typed address is not an error.
    if (problemOf(error)?.code === 'invalid_input') return [];
    throw error;
  }
}

/** Once the path is typed up to a slash, only what lies below it is searched. */
function pathFilterFor(typed: string): JsonObject {
  const end = typed.lastIndexOf('/');
  return end <= 0 ? {} : { entity_path: `${typed.slice(0, end)}/**` };
}
