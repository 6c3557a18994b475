import type { OperationName, operations } from '@mem-service/contract';
import type { Call } from './activity.ts';
import type { Caller } from './caller.ts';

type Definition = Pick<(typeof operations)[OperationName], 'effect' | 'cost'> | undefined;
type Given = { agent_id?: unknown; entity_path?: unknown; writes?: unknown };
type Asked = { input: unknown; caller: Caller; failed: boolean; duration_ms: number };

/** What is erased is not to be named again by that. */
const ERASING: ReadonlySet<string> = new Set(['entries.erase', 'agents.erase']);

const MAX_PATHS = 100;

/** A call as statistics see it. What it names is of interest only where it was understood. */
export function callOf(name: string, definition: Definition, { input, caller, failed, duration_ms }: Asked): Call {
  const { effect = 'none', cost: ops = 0 } = definition ?? {};
  const given = (failed ? {} : (input ?? {})) as Given;
  const isNamed = effect === 'write' && !ERASING.has(name) && typeof given.agent_id === 'string';
  const agent = isNamed ? (given.agent_id as string) : caller.agent_id;
  return { caller, effect, ops, failed, agent_id: agent, paths: pathsOf(name, given), duration_ms };
}

function pathsOf(name: string, { entity_path, writes }: Given): readonly string[] {
  if (ERASING.has(name)) return [];
  if (typeof entity_path === 'string') return [entity_path];
  if (name !== 'commits.create' || !Array.isArray(writes)) return [];
  return [...new Set(writes.map((write) => (write as { entity_path: string }).entity_path))].slice(0, MAX_PATHS);
}
