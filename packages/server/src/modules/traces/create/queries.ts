import type { Find } from '../../../db/index.ts';

/** Versions that a client says it read. */
export const findNamedVersions: Find = {
  table: 'versions',
  select: 'version, deleted, shared, agent_id, confidence',
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

export type NamedVersion = {
  version: number;
  deleted: number;
  shared: number;
  agent_id: string;
  confidence: number;
};
