import type { Operation } from '@mem-service/contract';
import type { CountedCall } from './activity.ts';
import type { Caller } from './caller.ts';

type CallDefinition = Pick<Operation, 'effect' | 'cost' | 'erases' | 'drafts_in'>;
type NamedFields = Readonly<Record<string, unknown>>;
type CallFacts = { input: unknown; caller: Caller; failed: boolean; duration_ms: number };

const MAX_PATHS = 100;
const UNKNOWN: CallDefinition = { effect: 'none', cost: 0 };

/** A call as the statistics count it. Names in its input count only where the input was valid. */
export function toCountedCall(
  definition: CallDefinition = UNKNOWN,
  { input, caller, failed, duration_ms }: CallFacts,
): CountedCall {
  const { effect, cost: ops, erases } = definition;
  const given = (failed ? {} : (input ?? {})) as NamedFields;
  const isNamed = effect === 'write' && !erases && typeof given.agent_id === 'string';
  const agent = isNamed ? (given.agent_id as string) : caller.agent_id;
  return { caller, effect, ops, failed, agent_id: agent, paths: pathsOf(definition, given), duration_ms };
}

function pathsOf({ erases, drafts_in }: CallDefinition, given: NamedFields): readonly string[] {
  if (erases) return [];
  if (typeof given.entity_path === 'string') return [given.entity_path];
  const drafts = drafts_in === undefined ? undefined : given[drafts_in];
  if (!Array.isArray(drafts)) return [];
  return [...new Set(drafts.map((draft) => (draft as { entity_path: string }).entity_path))].slice(0, MAX_PATHS);
}
