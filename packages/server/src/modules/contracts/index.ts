import { Fault, type FieldError } from '@mem-service/contract';
import type { Work } from '../../kernel/index.ts';
import { findContracts } from '../profiles/index.ts';
import { type CheckedWrite, type Contract, violationsOf } from './rules.ts';

export type { CheckedWrite, Contract } from './rules.ts';

/** Throws where a write breaks one of its author's own contracts. `at` is the path of the write within the input. */
export type ContractCheck = (write: CheckedWrite & { agent_id: string }, at?: string) => void;

/** Loads the contracts of all agents that write in a batch, with one lookup. Undefined where there are none. */
export async function loadContracts(work: Work, agentIds: Iterable<string>): Promise<ContractCheck | undefined> {
  const agents = [...new Set(agentIds)];
  const found = await work.tx.findMany<{ contracts: string }>(
    findContracts,
    agents.map((agentId) => [work.account_id, agentId]),
  );
  const contracts = new Map<string, Contract[]>();
  found.forEach((row, i) => {
    if (row && row.contracts !== '[]') contracts.set(agents[i] as string, JSON.parse(row.contracts) as Contract[]);
  });
  if (contracts.size === 0) return undefined;
  return (write, at = '') => {
    const errors = contracts.get(write.agent_id)?.flatMap((contract) => violationsOf(contract, write)) ?? [];
    if (errors.length > 0) throw violated(write, errors, at);
  };
}

function violated({ entity_path, key }: CheckedWrite, errors: readonly FieldError[], at: string): Fault {
  const [first] = errors as [FieldError];
  return new Fault('contract_violated', `${at}${first.path}: ${first.message}`, {
    entity_path,
    key,
    errors: errors.map((error) => ({ ...error, path: at + error.path })),
  });
}
