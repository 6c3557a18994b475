import { exported, type TenantTable } from '../../kernel/index.ts';
import { insertEvidence, insertOutcomes } from './queries.ts';

export const tables: readonly TenantTable[] = [
  exported(insertOutcomes, { kind: 'outcome', key: ['seq'], nullable: ['trace_id'], json: ['document'] }),
  exported(insertEvidence, {
    kind: 'evidence',
    key: ['seq', 'no'],
    nullable: [
      ...['entry_id', 'entity_path', 'key', 'version', 'read_version', 'written_by', 'attempt', 'reason'],
      ...['surprise', 'weight', 'confidence_before', 'confidence_after'],
      ...['evidence_success', 'evidence_failure', 'evidence_status'],
    ],
  }),
];
