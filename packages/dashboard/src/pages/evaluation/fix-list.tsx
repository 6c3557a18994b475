import type { Output } from '../../data/client.ts';
import type { CopiedCall } from '../../data/copy-as.ts';
import { useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, navigate, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { fixes as texts } from '../../texts/fixes.ts';
import { Icon } from '../../ui/icons.tsx';
import { EntryName, Tag, type Tone } from '../../ui/marks.tsx';
import type { Column } from '../../ui/table.tsx';
import styles from '../branches/branches.module.css';
import { ageColumn } from '../branches/columns.tsx';
import { FixPolicyPart } from './fix-policy.tsx';
import { NoneYet } from './none-yet.tsx';
import { StatusList } from './status-list.tsx';

type ListedFix = Output<'fixes.list'>['fixes'][number];

const STATUSES = ['', 'proposed', 'approved', 'dismissed'] as const;
type FixesStatus = (typeof STATUSES)[number];
const parameters = { status: choiceParameter<FixesStatus>('', STATUSES) };

export const FIX_TONES: Record<ListedFix['status'], Tone> = { proposed: 'warn', approved: 'good', dismissed: 'mute' };

/** For a store in which outcomes speak against nothing: an entry, and the value that it should have. */
const EXAMPLE = { entity_path: 'checkout/payments', key: 'retry-budget' };
const FIRST: readonly CopiedCall[] = [
  { name: 'entries.write', input: { ...EXAMPLE, value: '100 a minute' } },
  { name: 'fixes.propose', input: { ...EXAMPLE, entries: [{ ...EXAMPLE, value: '20 a minute' }] } },
];
const REFUTED = { evidence_status: 'discredited', limit: 1 } as const;

/** All fixes, newest first. */
export function FixList() {
  const now = useNow();
  useCrumbs([{ label: texts.title }]);
  const [{ status }, set] = useSearch(parameters);
  const input = { limit: 50, ...(status === '' ? {} : { status }) };
  const call = { name: 'fixes.list', input } as const;
  const pages = usePages('fixes.list', input);
  const rows = pages.data?.pages.flatMap((page) => page.fixes) ?? [];
  return (
    <StatusList
      texts={texts}
      statuses={STATUSES}
      status={status}
      onStatus={(next) => set({ status: next })}
      call={call}
      pages={pages}
      rows={rows}
      columns={columnsAt(now)}
      keyOf={({ fix_id }) => fix_id}
      onOpen={({ fix_id }) => navigate(hrefOf('fixes', fix_id))}
      none={<NoFix status={status === '' ? undefined : texts.statusOf[status]} />}
    >
      <FixPolicyPart className={styles.bar} />
    </StatusList>
  );
}

function NoFix({ status }: { status: string | undefined }) {
  const { data, isPending } = useOperation('entries.list', REFUTED);
  if (isPending) return null;
  const entry = data?.entries[0];
  const first: readonly CopiedCall[] = entry
    ? [{ name: 'fixes.propose', input: { entity_path: entry.entity_path, key: entry.key } }]
    : FIRST;
  return <NoneYet texts={texts} status={status} first={first} />;
}

const columnsAt = (now: number): readonly Column<ListedFix>[] => [
  {
    ...{ id: 'fix', head: texts.columns.fix, phone: 'name' },
    cell: (fix) => <FixTitle fix={fix} />,
  },
  {
    ...{ id: 'summary', head: texts.columns.summary, phone: 'detail' },
    cell: ({ summary, description }) => (
      <span className="second" title={description === '' ? summary : `${summary}\n${description}`}>
        {summary}
      </span>
    ),
  },
  {
    ...{ id: 'branch', head: texts.columns.branch, width: 250, phone: 'hide' },
    cell: ({ branch }) => (
      <a className="second" href={hrefOf('branches', branch)}>
        {branch}
      </a>
    ),
  },
  {
    ...{ id: 'status', head: texts.columns.status, width: 104, phone: 'value' },
    cell: ({ status }) => <Tag tone={FIX_TONES[status]}>{texts.statusOf[status]}</Tag>,
  },
  ageColumn(texts.columns.proposed, now),
];

/** As its page names it. Where there is little room, the path is cut and not the key. */
function FixTitle({ fix: { fix_id, first_entry, entry_count } }: { fix: ListedFix }) {
  const title = texts.titleOf(first_entry && `${first_entry.entity_path}/${first_entry.key}`, entry_count - 1);
  return (
    <span className={styles.branch}>
      <Icon name="wrench" />
      <a className={`${styles.branch} strong`} href={hrefOf('fixes', fix_id)} title={title} aria-label={title}>
        {first_entry === undefined ? (
          title
        ) : (
          <>
            <span>{texts.fixOf}</span> <EntryName path={first_entry.entity_path} name={first_entry.key} title={title} />{' '}
            {entry_count > 1 && <span>{texts.andMore(entry_count - 1)}</span>}
          </>
        )}
      </a>
    </span>
  );
}
