import { Fault } from '@mem-service/contract';
import type { Command } from '../commands.ts';
import { problemOf } from '../failure.ts';

type RefusedInput = Record<string, unknown>;

/** Adds what to type, where the service speaks of its fields. */
export function explainRefusal({ name }: Command, input: RefusedInput, error: unknown): unknown {
  if (name === 'branches.merge') return explainMerge(input, error);
  const problem = problemOf(error);
  const { code, detail, status: _, type: __, title: ___, ...rest } = problem;
  const todo = todoFor(name, problem);
  return todo === undefined ? error : new Fault(code, `${detail}: ${todo}`, rest);
}

function todoFor(name: Command['name'], { code, detail }: { code: string; detail: string }): string | undefined {
  if (name === 'pull_requests.review' && code === 'forbidden' && detail.includes('opened themselves'))
    return 'somebody else has to, with a key of their own (MEM_API_KEY), or without keys as another agent (--agent <name>)';
  if (name === 'pull_requests.create' && code === 'conflict' && detail.includes('into itself'))
    return 'go to the branch that is to be reviewed (mem switch <branch>), or name it: mem pr open <title> <branch>';
  if (name === 'rollback.run' && code === 'not_found' && detail.includes('no tag')) return 'mem tag lists them';
  return undefined;
}

function explainMerge(input: RefusedInput, error: unknown): unknown {
  const { code, detail } = problemOf(error);
  if (code === 'target_moved' && input.strategy === undefined)
    return new Fault(code, detail.replace('merge with THREE_WAY', 'add --strategy THREE_WAY'), {
      branch: input.target,
    });
  if (code !== 'conflict' || input.name !== input.target) return error;
  const todo =
    input.name === 'main'
      ? 'name the branch that is to be merged into main: mem merge <branch>; mem branch lists them'
      : 'it is the current branch, so name the other one with --into main';
  return new Fault(code, `${detail}: ${todo}`);
}

/** `mem diff` of a path and a key was meant for the versions of an entry. */
export function explainDiff([a, b]: readonly (string | undefined)[], error: unknown): unknown {
  const { code, branch } = problemOf(error);
  if (code !== 'branch_not_found' || typeof branch !== 'string' || a === undefined) return error;
  const name = JSON.stringify(branch.replace(/^tags\//, ''));
  const versions = b === undefined ? '' : `; to compare versions of an entry: mem diff-versions ${a} ${b}`;
  return new Fault(code, `there is no branch or tag ${name}: mem branch and mem tag list them${versions}`);
}
