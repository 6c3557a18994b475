import { type Caller, isInScope, readScope } from '@mem-service/server/module';
import type { PlannedEntry } from '../../merges/plan.ts';
import type { CheckStatus } from '../check-queries.ts';
import type { BuiltInCheck } from './built-in.ts';
import type { ReplayedQuestion } from './replay.ts';

export type Finding = {
  entity_path: string;
  key: string;
  message: string;
  /** The agents to whom a version of the entry is private. */
  private_to: readonly string[];
};

/** What a check of the service found, for all callers. */
export type CheckResult = {
  name: BuiltInCheck;
  status: CheckStatus;
  summary: string;
  findings: readonly Finding[];
  questions?: readonly ReplayedQuestion[];
};

type PrivatePlace = { entity_path: string; private_to: readonly string[] };

export const isSeenBy = ({ entity_path, private_to }: PrivatePlace, caller: Caller): boolean =>
  isInScope(readScope(caller), entity_path) && private_to.every((agent_id) => agent_id === caller.agent_id);

export const privateTo = ({ rows: { base, source, target } }: PlannedEntry): string[] =>
  [base, source, target].flatMap((row) => (row?.shared === 0 ? [row.agent_id] : []));

export const countOf = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
