import { Fault } from '@mem-service/contract';
import type { Command } from '../commands.ts';
import { problemOf } from '../failure.ts';

/** Adds what to type, where the service speaks of its fields. */
export function explainMerge({ name }: Command, input: Record<string, unknown>, error: unknown): unknown {
  if (name !== 'branches.merge') return error;
  const { code, detail } = problemOf(error);
  if (code === 'target_moved' && input.strategy === undefined)
    return new Fault(code, detail.replace('merge with THREE_WAY', 'add --strategy THREE_WAY'), {
      branch: input.target,
    });
  if (code === 'conflict' && input.name === input.target)
    return new Fault(code, `${detail}: it is the current branch, so name the other one with --into main`);
  return error;
}

/** `mem diff` of a path and a key was meant for the versions of an entry. */
export function explainDiff([a, b]: readonly (string | undefined)[], error: unknown): unknown {
  const { code, detail } = problemOf(error);
  if (code !== 'branch_not_found' || a === undefined || b === undefined) return error;
  return new Fault(code, `${detail}; to compare versions of an entry: mem diff-versions ${a} ${b}`);
}
