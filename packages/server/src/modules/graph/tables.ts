import { exported, type TenantTable } from '../../kernel/index.ts';
import { insertStatements, upsertEdges } from './queries.ts';
import { type Edge, textsOfEdge } from './rules/edges.ts';

export const tables: readonly TenantTable[] = [
  exported(upsertEdges, {
    kind: 'edge',
    stored: (row) => textsOfEdge(row as Edge),
    key: ['branch', 'source_type', 'source', 'visible_to', 'relation', 'target_type', 'target'],
    agents: {
      visible_to: { erased: 'by its owner' },
      source: { erased: 'by its owner' },
      target: { erased: 'by its owner' },
    },
    planner: {
      edges: '1000000 1000000 1000000 300000 10 10 5 5 1',
      edges_by_target: '1000000 1000000 1000000 300000 10 10 5 5 1',
    },
  }),
  exported(insertStatements, { kind: 'edge_statement', key: ['edge_id', 'seq'], erased_with: 'edges' }),
];
