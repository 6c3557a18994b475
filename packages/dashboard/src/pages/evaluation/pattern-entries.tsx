import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { patterns as texts } from '../../texts/patterns.ts';
import { EntryName } from '../../ui/marks.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import evaluationStyles from './evaluation.module.css';
import type { WholePattern } from './pattern-data.ts';

type EvidenceEntry = WholePattern['entries'][number];

/** The entries that a pattern was found in, those that say the same together. */
export function EvidenceEntries({ entries }: { entries: readonly EvidenceEntry[] }) {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return groups.map((group) => {
    const rows = entries.filter((entry) => entry.group === group);
    const label = group === null ? texts.entries : texts.group(group, rows.length);
    return (
      <div key={group}>
        {group !== null && <h3 className={evaluationStyles.none}>{label}</h3>}
        <Table label={label} columns={columns} rows={rows} keyOf={(row) => `${row.entity_path}/${row.key}`} />
      </div>
    );
  });
}

const MOST_CHARS = 160;

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The beginning of what an entry says now. Looking at its history does not count as a read. */
function ValueNow({ entry: { entity_path, key, branch } }: { entry: EvidenceEntry }) {
  const { data } = useOperation('entries.history', { entity_path, key, branch, limit: 1 }, { isLater: true });
  const text = asText(data?.versions[0]?.value);
  return (
    <span className="second" title={text}>
      {text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text}
    </span>
  );
}

const columns: readonly Column<EvidenceEntry>[] = [
  {
    ...{ id: 'entry', head: texts.entryColumns.entry, phone: 'name' },
    cell: ({ entity_path, key }) => (
      <a href={hrefOf('memory', entity_path, { key })}>
        <EntryName path={entity_path} name={key} />
      </a>
    ),
  },
  {
    ...{ id: 'value', head: texts.entryColumns.value, phone: 'detail' },
    cell: (entry) => <ValueNow entry={entry} />,
  },
  {
    ...{ id: 'version', head: texts.entryColumns.version, width: 116, phone: 'value' },
    cell: ({ version, newest_version }) => <span className="second">{texts.version(version, newest_version)}</span>,
  },
  {
    ...{ id: 'author', head: texts.entryColumns.author, width: 160, phone: 'hide' },
    cell: ({ agent_id }) => <a href={hrefOf('agents', agent_id)}>{agent_id}</a>,
  },
];
