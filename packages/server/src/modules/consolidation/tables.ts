import { exported, type TenantTable } from '../../kernel/index.ts';
import { insertProposals, insertSources, type ProposalRow, textsOfProposal } from './queries.ts';

export const tables: readonly TenantTable[] = [
  {
    table: 'consolidation_runs',
    key: ['coverage'],
    left_out: 'the next run begins again',
    agents: { agent_id: { erased: 'delete the row' } },
    entries: { entity_path: 'delete the row' },
    unrelated: { coverage: 'a hash', scope: 'the globs of a key, which names its own paths' },
  },
  {
    table: 'consolidation_marks',
    key: ['mark', 'entry_id'],
    left_out: 'made again by the next run',
    erased_with: 'its entry',
  },
  exported(insertProposals, {
    kind: 'proposal',
    key: ['proposal_id'],
    nullable: ['proposed_value', 'reviewed_by', 'reviewed_at'],
    json: ['proposed_value'],
    stored: (row) => textsOfProposal(row as ProposalRow),
    agents: {
      agent_id: { erased: 'rename', also: () => ({ proposed_value: null, rationale: '' }) },
      reviewed_by: { erased: 'rename' },
      visible_to: { erased: 'rename' },
    },
    // Proposals about an erased entry are deleted.
    erased_with: 'its sources',
  }),
  exported(insertSources, { kind: 'proposal_source', key: ['proposal_id', 'no'], erased_with: 'its entry' }),
];
