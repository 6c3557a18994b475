import type { Output } from '../../data/client.ts';
import { usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, navigate, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { behaviors as texts } from '../../texts/failures.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { Tag } from '../../ui/marks.tsx';
import type { Column } from '../../ui/table.tsx';
import styles from '../branches/branches.module.css';
import { targetOf } from './evaluation-data.ts';
import { STATUS_TONES } from './judge-list.tsx';
import { NoneYet } from './none-yet.tsx';
import { StatusList } from './status-list.tsx';

export type ListedBehavior = Output<'behaviors.list'>['behaviors'][number];

const STATUSES = ['', 'active', 'draft', 'archived'] as const;
type BehaviorsStatus = (typeof STATUSES)[number];
const parameters = { status: choiceParameter<BehaviorsStatus>('', STATUSES) };

/** A behavior that can be defined as it is. */
const FIRST = {
  name: 'behaviors.create',
  input: {
    behavior_id: 'ends-badly',
    name: 'Ends badly',
    matcher: [{ check: 'outcome', in: ['success', 'clean_deploy'], not: true }],
  },
} as const;

/** All behaviors, by id. */
export function BehaviorList() {
  const now = useNow();
  useCrumbs([{ label: texts.title }]);
  const [{ status }, set] = useSearch(parameters);
  const input = { limit: 50, ...(status === '' ? {} : { status }) };
  const call = { name: 'behaviors.list', input } as const;
  const pages = usePages('behaviors.list', input);
  const rows = pages.data?.pages.flatMap((page) => page.behaviors) ?? [];
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
      keyOf={({ behavior_id }) => behavior_id}
      onOpen={({ behavior_id }) => navigate(hrefOf('behaviors', behavior_id))}
      none={<NoneYet texts={texts} status={status === '' ? undefined : texts.statusOf[status]} first={FIRST} />}
    />
  );
}

const columnsAt = (now: number): readonly Column<ListedBehavior>[] => [
  {
    ...{ id: 'name', head: texts.columns.name, phone: 'name' },
    cell: ({ behavior_id, name, version }) => (
      <span className={styles.branch}>
        <Icon name="repeat" />
        <a className="strong cut" href={hrefOf('behaviors', behavior_id)} title={behavior_id}>
          {name}
        </a>
        <span className="third small">{texts.version(version)}</span>
      </span>
    ),
  },
  {
    ...{ id: 'checks', head: texts.columns.checks, width: 104, phone: 'hide' },
    cell: ({ matcher }) => <span className="second">{texts.checks(matcher.length)}</span>,
  },
  {
    ...{ id: 'for', head: texts.columns.for, phone: 'detail' },
    cell: (behavior) => <span className="second">{targetOf(behavior)}</span>,
  },
  {
    ...{ id: 'status', head: texts.columns.status, width: 104, phone: 'value' },
    cell: ({ status }) => <Tag tone={STATUS_TONES[status]}>{texts.statusOf[status]}</Tag>,
  },
  {
    ...{ id: 'changed', head: texts.columns.changed, width: 92, phone: 'time' },
    cell: ({ updated_at }) => (
      <time className="third" dateTime={updated_at} title={fullTimeOf(updated_at)}>
        {ago(updated_at, now)}
      </time>
    ),
  },
];
