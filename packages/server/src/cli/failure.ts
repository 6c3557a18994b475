import { Fault, type Problem } from '@mem-service/contract';
import { MemError } from '@mem-service/sdk';
import { isLoopback } from '../admitted.ts';
import { ConfigError, type Environment } from '../config.ts';
import { type Command, commandOfOperation, fieldLabel } from './commands.ts';
import { REASONS } from './render/merges.ts';

/** The command line itself is invalid. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'you may not read this file',
  EISDIR: 'this is a folder, not a file',
};

/** Why a file cannot be read, without the words of the system. */
export function fileProblem(error: unknown, file: string): UsageError {
  const { code, message } = error as NodeJS.ErrnoException;
  const plain = FILE_PROBLEMS[code ?? ''];
  return new UsageError(plain ? `${plain}: ${file}` : message);
}

export const exitCodes = {
  0: 'done',
  1: 'failed; for verify also: it found problems, for a trial of a merge: there are conflicts; for --fail-on-fail: a case did not pass',
  2: 'wrong usage, invalid input or bad configuration',
  3: 'not found',
  4: 'not authenticated, or not allowed',
  5: 'conflict: the entry is at another version, or something is in the way',
  6: 'the service or its storage cannot be reached right now',
} as const;

export type ExitCode = keyof typeof exitCodes;

const BY_STATUS: Record<number, ExitCode> = {
  0: 6,
  400: 2,
  401: 4,
  403: 4,
  408: 6,
  409: 5,
  413: 2,
  414: 2,
  415: 2,
  421: 4,
  422: 2,
  429: 6,
  431: 2,
  502: 6,
  503: 6,
  504: 6,
};

export function exitCodeOf({ code, status }: Problem): ExitCode {
  if (['not_found', 'branch_not_found', 'connector_not_found', 'room_not_found'].includes(code)) return 3;
  return BY_STATUS[status] ?? 1;
}

/** Converts any error to the problem that a server would answer. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Fault) return error.toProblem();
  if (error instanceof MemError) return error.problem;
  if (!(error instanceof Error)) return new Fault('internal', String(error)).toProblem();
  if (error instanceof UsageError || error instanceof ConfigError)
    return new Fault('invalid_input', error.message).toProblem();
  // Checked by name: importing the classes would load the database drivers.
  if (error.name === 'StorageError') return new Fault(storageCode(error), reasonOf(error)).toProblem();
  if (error.name === 'SchemaError') return new Fault('internal', error.message).toProblem();
  // System errors have a code and a clear message; any other error is a bug and is shown with its stack.
  const isBug = (error as { code?: unknown }).code === undefined;
  return new Fault('internal', isBug ? (error.stack ?? error.message) : error.message).toProblem();
}

const storageCode = (error: Error & { reason?: string }) =>
  error.reason === 'misconfigured' ? 'invalid_input' : 'unavailable';

function reasonOf({ message, cause, where }: Error & { where?: string }): string {
  const { message: reason, code } = (cause ?? {}) as { message?: string; code?: string };
  return [where, message, reason || code].filter(Boolean).join(': ');
}

/** One line for each error, with the names of the command line and of the variables that a user sets. */
export function describeProblem(problem: Problem, { command, env }: FailedCommand): string[] {
  const { errors, code } = problem;
  if (code === 'unauthenticated') return [keyProblem(problem, { command, env })];
  if (problem.status === 0 && env.MEM_HTTP_URL) return [unreachable(problem, env.MEM_HTTP_URL)];
  if (code === 'merge_conflicts') return conflictLines(problem);
  if (!errors || errors.length === 0)
    return [...inWords(problem).split('\n'), ...links(problem), ...intoRoom(problem), ...listOf(problem)];
  return errors.map(({ path, message }) => {
    const field = command?.fields.find(({ name }) => name === path);
    const named = command && field ? fieldLabel(command, field) : path;
    return named === '' ? message : `${named}: ${message}`;
  });
}

/** An entry is written as two words here, and as one in the answers of the service; an operation is its command. */
const inWords = ({ detail, entity_path, key }: Problem): string =>
  typeof entity_path === 'string' && typeof key === 'string'
    ? detail.replace(`${entity_path}/${key}`, () => `${entity_path} ${key}`)
    : asTyped(detail);

/** “judges.update changes it” */
const asTyped = (text: string): string =>
  text.replace(/\b[a-z_]+\.[a-z_]+(?= [a-z]+s (it|one)\b)/g, (name) => commandOfOperation(name));

type NamedConflict = { entity_path: string; key: string; reason: string };

/** What is in the way of a merge, and how to go on. */
function conflictLines({ conflicts, hidden, conflicting, merge_id: id }: Problem): string[] {
  const named = Array.isArray(conflicting) ? (conflicting as NamedConflict[]) : [];
  const more = Number(conflicts) - Number(hidden ?? 0) - named.length;
  return [
    `nothing was merged: there ${conflicts === 1 ? 'is 1 conflict' : `are ${conflicts} conflicts`}`,
    ...named.map(({ entity_path, key, reason }) => `  ${entity_path} ${key}: ${REASONS[reason] ?? reason}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(hidden ? [`  ${hidden} in entries that you may not see: their authors resolve them`] : []),
    `look at them:  mem conflicts ${id}`,
    `decide:        mem resolve ${id} source|target|base --path '**', or one with --no 0`,
    `then go on:    the same command again, a merge or refresh with --merge-id ${id}`,
    `or give it up: mem merge --abort ${id}`,
  ];
}

export type FailedCommand = { command: Command | undefined; env: Environment };

/** The service speaks of headers, which the command line sets from these variables. */
function keyProblem({ detail }: Problem, { command, env }: FailedCommand): string {
  const isControl = command?.operation.effect === 'control' || detail.includes('control plane');
  const variable = isControl ? 'MEM_INTERNAL_KEY' : 'MEM_API_KEY';
  if (!env[variable]) return `the server asks for a key: set ${variable}`;
  return `the server refuses the key in ${variable}${/^send |: send /.test(detail) ? '' : `: ${detail}`}`;
}

function unreachable({ detail }: Problem, url: string): string {
  const start =
    URL.canParse(url) && isLoopback(new URL(url).hostname) ? 'start it (mem serve --local)' : 'see that it runs';
  return `${detail}. MEM_HTTP_URL names this server: ${start}, or unset MEM_HTTP_URL for the memory of this machine`;
}

/** How to come into a room. */
function intoRoom({ code, needs, room_id }: Problem): string[] {
  if (code === 'room_not_found')
    return ['mem rooms lists those of the account, mem invitations those that it is invited to'];
  return code === 'forbidden' && needs === 'join'
    ? [`mem join-room ${room_id} lets it join, with the same --agent`]
    : [];
}

/** The lists that have the ids of what an error can miss. */
const LISTS: Readonly<Record<string, string>> = {
  backfill: 'backfills.list',
  behavior: 'behaviors.list',
  case: 'cases.list',
  document: 'room_documents.list',
  fix: 'fixes.list',
  incident: 'incidents.list',
  judge: 'judges.list',
  merge: 'merges.list',
  negotiation: 'negotiations.list',
  pattern: 'detected_patterns.list',
  rule: 'alert_rules.list',
  run: 'case_runs.list',
  scan: 'pattern_scans.list',
  team: 'teams.list',
  verdict: 'verdicts.list',
};

function listOf({ code, detail, room_id }: Problem): string[] {
  const list = LISTS[/^there is no (\w+) (?!in set)/.exec(detail)?.[1] ?? ''];
  if (code !== 'not_found' || list === undefined) return [];
  const room = list.startsWith('room_') || list.startsWith('negotiations') ? ` ${room_id ?? '<room_id>'}` : '';
  return [`${commandOfOperation(list)}${room} lists those that there are`];
}

/** Where to get a plan, or more of it. */
const links = ({ code, upgrade_url, plan_comparison_url }: Problem): string[] =>
  [
    typeof upgrade_url === 'string' ? `${code === 'over_limit' ? 'larger plans' : 'more ops'}: ${upgrade_url}` : '',
    typeof plan_comparison_url === 'string' ? `plans: ${plan_comparison_url}` : '',
  ].filter((line) => line !== '');
