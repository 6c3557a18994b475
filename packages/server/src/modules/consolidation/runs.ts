import { hash } from 'node:crypto';
import { type Glob, type Output, parseGlob } from '@mem-service/contract';
import {
  type Caller,
  type EntryView,
  MAIN_LINEAGE,
  readScope,
  type Scope,
  type Services,
  toIso,
  toIsoOrNull,
} from '../../kernel/index.ts';
import { EMBEDDER } from '../recall/index.ts';
import type { RunRow } from './queries.ts';

/** How many combinations of agent, scope and path an account keeps a place in the log for; the oldest is deleted. */
export const MAX_RUNS = 200;

/** What a run covers: what its agent may see within the scope of its key, at some paths. */
export type Coverage = { account_id: string; agent_id: string; scope: Scope | undefined; entity_path: string };

type Covering = { agent_id?: string | undefined; entity_path?: string | undefined };

/** What a caller may both read and write: a run changes what it looks at. */
export function coverageOf(caller: Caller, input: Covering): Coverage {
  const scopes = [readScope(caller), caller.key?.write].filter((scope) => scope !== undefined);
  return {
    account_id: caller.account_id,
    agent_id: input.agent_id ?? caller.agent_id,
    scope: scopes.length === 0 ? undefined : scopes.flat(),
    entity_path: input.entity_path ?? '*',
  };
}

export const scopeText = (scope: Scope | undefined): string => JSON.stringify(scope ?? null);

export const coverageHash = ({ agent_id, scope, entity_path }: Coverage): string =>
  hash('sha256', JSON.stringify([agent_id, scope ?? null, entity_path]), 'hex').slice(0, 32);

export const coverageOfRun = ({ account_id, agent_id, scope, entity_path }: RunRow): Coverage => ({
  account_id,
  agent_id,
  scope: (JSON.parse(scope) as Scope | null) ?? undefined,
  entity_path,
});

export const pathsOfCoverage = ({ entity_path }: Coverage): readonly Glob[] | undefined => {
  const glob = parseGlob(entity_path);
  return glob === undefined || glob.kind === 'all' ? undefined : [glob];
};

export const viewOfCoverage = ({ account_id, agent_id, scope }: Coverage, services: Services): EntryView => ({
  account_id,
  lineage: MAIN_LINEAGE,
  agent_id,
  scope,
  at: services.clock.now(),
  dialect: services.database.dialect,
});

/** A run that has not begun. */
export const newRun = (coverage: Coverage): RunRow => ({
  account_id: coverage.account_id,
  coverage: coverageHash(coverage),
  run_id: '',
  status: 'done',
  agent_id: coverage.agent_id,
  entity_path: coverage.entity_path,
  scope: scopeText(coverage.scope),
  done_seq: 0,
  until_seq: 0,
  stale_seq: 0,
  stale_until_seq: 0,
  runs: 0,
  demoted: 0,
  run_looked_at: 0,
  run_demoted: 0,
  run_proposed: 0,
  is_full: 0,
  failures: 0,
  started_at: 0,
  finished_at: null,
});

/** No place in the log is shown: it shows how much is written elsewhere. */
const progressOf = ({ status, done_seq, until_seq }: RunRow): number =>
  status === 'running' ? Math.round((100 * done_seq) / Math.max(until_seq, 1)) / 100 : 1;

export type RunReport = NonNullable<Output<'consolidation.status'>['last_run']>;

export function reportOf(run: RunRow, { settings }: Services): RunReport {
  const { run_looked_at, run_demoted } = run;
  return {
    run_id: run.run_id === '' ? null : run.run_id,
    status: run.status as RunReport['status'],
    entity_path: run.entity_path,
    branch: 'main',
    entries_looked_at: run_looked_at,
    auto_archived: run_demoted,
    proposals_created: run.run_proposed,
    proposals_auto_merged: 0,
    compression_ratio: run_looked_at > run_demoted ? run_looked_at / (run_looked_at - run_demoted) : 1,
    is_full: run.is_full === 1,
    progress: progressOf(run),
    embedder: settings.embedder === 'off' ? null : EMBEDDER,
    started_at: run.run_id === '' ? null : toIso(run.started_at),
    consolidated_at: toIsoOrNull(run.finished_at),
  };
}
