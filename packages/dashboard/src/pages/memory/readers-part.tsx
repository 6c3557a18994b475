import type { Output } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { ago, dayAndTime, fullTimeOf, number } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import { Tag } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { callOf } from './entry-data.ts';
import { roomOf, type ShownAddress } from './memory-address.ts';
import styles from './parts.module.css';

const texts = memory.readers;
const READS = 20;
type Readers = Output<'entries.readers'>;

const inputOf = (entry: ShownAddress) => ({ ...callOf(entry), limit: READS });
export const useReaders = (entry: ShownAddress) =>
  useOperation('entries.readers', inputOf(entry), {
    keepPrevious: false,
    enabled: roomOf(entry.entity_path) === undefined,
  });

type ReadersProps = { readers: ReturnType<typeof useReaders>; entry: ShownAddress; newest: number; isDeleted: boolean };

/** Who read it, and which version. */
export function ReadersPart({ readers, entry, newest, isDeleted }: ReadersProps) {
  if (isDeleted && !readers.data) return null;
  return (
    <Section title={texts.title} note={texts.note} bleed>
      <Loaded answer={readers} call={{ name: 'entries.readers', input: inputOf(entry) }}>
        {(data) =>
          data.readers.length === 0 && data.reads.length === 0 ? (
            <p className={`${styles.nothing} third`}>{texts.noReader}</p>
          ) : (
            <>
              <Table
                label={texts.title}
                columns={readerColumns}
                rows={data.readers}
                keyOf={({ agent_id }) => agent_id}
              />
              {data.reads.length > 0 && (
                <>
                  <h3 className={styles.sub}>{texts.reads}</h3>
                  <Table
                    label={texts.reads}
                    columns={readColumns(newest)}
                    rows={data.reads}
                    keyOf={({ agent_id, session_id, read_at }) => `${agent_id} ${session_id} ${read_at}`}
                  />
                </>
              )}
              {(data.truncated || data.has_more) && <p className={`${styles.nothing} third small`}>{texts.newest}</p>}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

const readerColumns: readonly Column<Readers['readers'][number]>[] = [
  {
    id: 'agent',
    head: texts.columns.agent,
    phone: 'name',
    cell: ({ agent_id }) => <a href={hrefOf('agents', agent_id)}>{agent_id}</a>,
  },
  {
    id: 'count',
    head: texts.columns.count,
    width: 84,
    end: true,
    phone: 'value',
    cell: ({ read_count }) => number(read_count),
  },
  {
    id: 'first',
    head: texts.columns.first,
    width: 132,
    end: true,
    phone: 'hide',
    cell: ({ first_read_at }) => (
      <time className="third" title={fullTimeOf(first_read_at)}>
        {dayAndTime(first_read_at)}
      </time>
    ),
  },
  {
    id: 'last',
    head: texts.columns.last,
    width: 132,
    end: true,
    phone: 'time',
    cell: ({ last_read_at }) => (
      <time className="third" title={fullTimeOf(last_read_at)}>
        {ago(last_read_at)}
      </time>
    ),
  },
];

const readColumns = (newest: number): readonly Column<Readers['reads'][number]>[] => [
  {
    id: 'agent',
    head: texts.columns.agent,
    phone: 'name',
    cell: ({ agent_id, trace_id, session_id }) => (
      <>
        <a href={hrefOf('agents', agent_id)}>{agent_id}</a>{' '}
        {trace_id === null ? (
          <span className="third">{session_id}</span>
        ) : (
          <a className="link" href={hrefOf('traces', trace_id)}>
            {texts.trace}
          </a>
        )}
      </>
    ),
  },
  {
    id: 'version',
    head: texts.columns.version,
    width: 132,
    end: true,
    phone: 'value',
    cell: ({ version }) => (
      <>
        {version < newest && <Tag tone="warn">{texts.old}</Tag>} {memory.story.version(version)}
      </>
    ),
  },
  {
    id: 'time',
    head: texts.columns.time,
    width: 132,
    end: true,
    phone: 'time',
    cell: ({ read_at }) => (
      <time className="third" title={fullTimeOf(read_at)}>
        {dayAndTime(read_at)}
      </time>
    ),
  },
];
