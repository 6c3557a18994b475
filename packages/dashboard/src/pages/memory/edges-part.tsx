import type { Output } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { ago, fullTimeOf, number } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { entryOfNode, nodeOf } from './entry-data.ts';
import { type MemoryAddress, onBranch, roomOf, type ShownAddress } from './memory-address.ts';
import styles from './parts.module.css';

const texts = memory.edges;
const MOST = 100;
type Edge = Output<'graph.neighbors'>['edges'][number];

const inputOf = (entry: ShownAddress) => ({
  entity: nodeOf(entry),
  type: 'entry' as const,
  limit: MOST,
  ...onBranch(entry.branch),
});
export const useEdges = (entry: ShownAddress) =>
  useOperation('graph.neighbors', inputOf(entry), {
    keepPrevious: false,
    enabled: roomOf(entry.entity_path) === undefined,
  });

type EdgesProps = { edges: ReturnType<typeof useEdges>; entry: ShownAddress; address: MemoryAddress };

/** What the entry is connected with. */
export function EdgesPart({ edges, entry, address }: EdgesProps) {
  const self = nodeOf(entry);
  return (
    <Section title={texts.title} note={texts.note} bleed>
      <Loaded answer={edges} call={{ name: 'graph.neighbors', input: inputOf(entry) }}>
        {(data) =>
          data.edges.length === 0 ? (
            <p className={`${styles.nothing} third`}>{texts.nothing}</p>
          ) : (
            <>
              <Table
                label={texts.title}
                columns={columnsOf(self, address)}
                rows={data.edges}
                keyOf={({ source, relation, target }) => `${source} ${relation} ${target}`}
              />
              {data.truncated && <p className={`${styles.nothing} third small`}>{texts.truncated}</p>}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

/** The other end, as the page of what it is. */
function hrefOfNode(name: string, type: Edge['source_type'], address: MemoryAddress): string | undefined {
  if (type === 'agent') return hrefOf('agents', name);
  if (type === 'entity') return address.toPath(name);
  if (type === 'outcome') return hrefOf('traces', '', { outcome_ref: name });
  if (type === 'entry') {
    const { entity_path, key } = entryOfNode(name);
    return address.toEntry(entity_path, key);
  }
  return undefined;
}

const columnsOf = (self: string, address: MemoryAddress): readonly Column<Edge>[] => [
  {
    id: 'relation',
    head: texts.columns.relation,
    width: 160,
    phone: 'detail',
    cell: ({ source, relation }) => (
      <span className="second">
        <span aria-hidden="true">{source === self ? '→' : '←'}</span> {relation.replaceAll('_', ' ')}
        <span className="unseen">{source === self ? texts.out : texts.in}</span>
      </span>
    ),
  },
  {
    id: 'other',
    head: texts.columns.other,
    phone: 'name',
    cell: ({ source, source_type, target, target_type }) => {
      const [name, type] = source === self ? [target, target_type] : [source, source_type];
      const href = hrefOfNode(name, type, address);
      return (
        <>
          {href === undefined ? (
            <span className="mono">{name}</span>
          ) : (
            <a className="mono" href={href}>
              {name}
            </a>
          )}{' '}
          <span className="third">{type}</span>
        </>
      );
    },
  },
  {
    id: 'count',
    head: texts.columns.count,
    width: 84,
    end: true,
    phone: 'value',
    cell: ({ evidence_count }) => number(evidence_count),
  },
  {
    id: 'last',
    head: texts.columns.last,
    width: 84,
    end: true,
    phone: 'time',
    cell: ({ last_seen }) => (
      <time className="third" title={fullTimeOf(last_seen)}>
        {ago(last_seen)}
      </time>
    ),
  },
];
