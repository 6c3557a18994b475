import { Fault, type Problem } from '@mem-service/contract';
import { MemError } from '@mem-service/sdk';
import { plainMessage } from './rules/arguments.ts';
import type { JsonObject } from './session.ts';
import type { ToolAnswer } from './tool.ts';

/** The problem that the service would have answered; undefined for a bug. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof MemError) return error.problem;
  if (error instanceof Fault) return error.toProblem();
  // A Fault from another copy of the contract, because the server bundles its own.
  const { name, toProblem } = error as { name?: string; toProblem?: () => Problem };
  return name === 'Fault' && toProblem ? toProblem.call(error) : undefined;
}

const HINTS: Partial<Record<Problem['code'], string>> = {
  branch_not_found: 'leave out branch, or name one that exists',
  branch_access_denied: 'leave out branch, or ask an admin or its creator for access',
  room_not_found: 'mem_my_rooms shows which there are, mem_my_invitations to which you are invited',
  branch_closed: 'write to another branch, or reopen this one',
  branch_protected: 'write to a branch of your own, and merge it',
  entry_quarantined: 'write to another key, or release it with mem_undo_quarantine',
  merge_conflicts: 'mem_list_conflicts, mem_resolve_conflict, then merge again with the merge_id',
  target_moved: 'look at what changed with mem_diff_branches, and merge with strategy THREE_WAY',
  branch_read_only: 'write to the branch itself, without @ and what follows it',
  version_conflict: 'read the entry again, merge, and write with if_version set to its version',
  stale_reads: 'read again what has changed, and decide again',
  invalid_cursor: 'start again without cursor',
  value_too_large: 'split it into several keys',
  unauthenticated: 'set MEM_API_KEY to a valid key',
  unavailable: 'try again in a moment',
  replica_behind: 'try again in a moment',
  read_only: 'this memory can only be read here: MEM_HTTP_URL has to be the address of a server that writes',
};

/** An error that a model can act on: what was wrong, with which argument, and what to do. */
export function refusal(problem: Problem, todo?: string): ToolAnswer {
  const { code, detail, errors, status: _, type: __, title: ___, ...more } = problem;
  const wrong = (errors as { path: string; message: string }[] | undefined)?.map(({ path, message }) => ({
    path,
    message: plainMessage(message),
  }));
  const error = wrong ? wrong.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ') : detail;
  const hint = todo ?? hintFor(problem);
  const json: JsonObject = { error, code, ...(wrong ? { errors: wrong } : {}), ...more, ...(hint ? { hint } : {}) };
  return { json, isError: true };
}

function hintFor({ code, trace_id, needs }: Problem): string | undefined {
  if (code === 'not_found' && trace_id !== undefined) return TRACES;
  return code === 'forbidden' && needs === 'join' ? 'mem_room_join does that' : HINTS[code];
}

const TRACES = 'mem_list_traces shows which there are; "last" is the newest of yours';

export function argumentError(argument: string, message: string): ToolAnswer {
  return {
    json: { error: `${argument}: ${message}`, code: 'invalid_input', errors: [{ path: argument, message }] },
    isError: true,
  };
}
