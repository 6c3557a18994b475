import { Fault, type FieldError } from '@mem-service/contract';
import type { Query } from '../../db/index.ts';
import { findContracts } from '../profiles/index.ts';
import { type CheckedWrite, type Contract, type Violation, violationsOf } from './rules.ts';

export type { CheckedWrite, Contract } from './rules.ts';

type AuthoredWrite = CheckedWrite & { agent_id: string };

/** Where contracts are looked up: within a transaction, or by reads of the account. */
export type ContractSource = { account_id: string; tx: Pick<Query, 'findMany'> };

/** Throws where a write breaks one of its author's own contracts. `at` is the path of the write within the input. */
export type ContractCheck = (write: AuthoredWrite, at?: string) => void;

/** Loads the contracts of all agents that write in a batch, with one lookup. Undefined where there are none. */
export async function loadContracts(
  source: ContractSource,
  agentIds: Iterable<string>,
): Promise<ContractCheck | undefined> {
  const violations = await loadViolations(source, agentIds);
  if (!violations) return undefined;
  return (write, at = '') => {
    const errors = violations(write);
    if (errors.length > 0) throw violated(write, errors, at);
  };
}

/** The same, for all that a write breaks of its author's contracts. */
export async function loadViolations(
  { account_id, tx }: ContractSource,
  agentIds: Iterable<string>,
): Promise<((write: AuthoredWrite) => Violation[]) | undefined> {
  const agents = [...new Set(agentIds)];
  const found = await tx.findMany<{ contracts: string }>(
    findContracts,
    agents.map((agentId) => [account_id, agentId]),
  );
  const contracts = new Map<string, Contract[]>();
  found.forEach((row, i) => {
    if (row && row.contracts !== '[]') contracts.set(agents[i] as string, JSON.parse(row.contracts) as Contract[]);
  });
  if (contracts.size === 0) return undefined;
  return (write) => contracts.get(write.agent_id)?.flatMap((contract) => violationsOf(contract, write)) ?? [];
}

function violated({ entity_path, key }: CheckedWrite, errors: readonly FieldError[], at: string): Fault {
  const [first] = errors as [FieldError];
  return new Fault('contract_violated', `${at}${first.path}: ${first.message}`, {
    entity_path,
    key,
    errors: errors.map((error) => ({ ...error, path: at + error.path })),
  });
}
