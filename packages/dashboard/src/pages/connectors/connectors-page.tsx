import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import type { PageProps } from '../../pages.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { connectors as texts } from '../../texts/connectors.ts';
import { ago, fullTimeOf, number } from '../../texts/format.ts';
import { Code } from '../../ui/code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Icon } from '../../ui/icons.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ConnectorPage } from './connector-page.tsx';
import { ConnectorState, type ListedConnector } from './connector-state.tsx';
import styles from './connectors.module.css';
import { DeadLetters } from './dead-letters.tsx';

const EVENTS: ReadonlySet<string> = new Set(['webhook_ingested', 'dead_letter_replayed', 'write']);
const LIST = { name: 'connectors.list', input: {} } as const;

/** What other tools send here, and what became of it. */
export function ConnectorsPage({ rest }: PageProps) {
  useBranchRefresh(EVENTS, ['connectors.list', 'connectors.read', 'dead_letters.list', 'agents.timeline']);
  return rest === '' ? <ConnectorList /> : <ConnectorPage key={rest} name={rest} />;
}

function ConnectorList() {
  const now = useNow();
  useCrumbs([{ label: texts.title }]);
  const listed = useOperation('connectors.list', {});
  return (
    <>
      <div className={styles.title}>
        <h1>{texts.title}</h1>
        <span className="third wide-only">{texts.note}</span>
        <span className="grow" />
        <CopyAs call={LIST} />
      </div>
      <Loaded answer={listed} call={LIST}>
        {({ connectors }) =>
          connectors.length === 0 ? (
            <div className={styles.empty}>
              <EmptyState title={texts.none}>
                <p className="second">{texts.noneHint}</p>
                <Code label={texts.noneHint} text={`mem connector install <name>`} copy />
              </EmptyState>
            </div>
          ) : (
            <Table
              label={texts.title}
              columns={columnsAt(now)}
              rows={connectors}
              keyOf={({ connector }) => connector}
              onOpen={({ connector }) => navigate(hrefOf('connectors', connector))}
            />
          )
        }
      </Loaded>
      <DeadLetters />
    </>
  );
}

const count = (n: number | undefined) => (n === undefined ? texts.unknown : number(n));

const columnsAt = (now: number): readonly Column<ListedConnector>[] => [
  {
    id: 'name',
    head: texts.columns.name,
    phone: 'name',
    cell: ({ connector, description, version }) => (
      <span className={styles.name}>
        <Icon name="plug" />
        <a className="strong" href={hrefOf('connectors', connector)}>
          {connector}
        </a>
        <span className="third small cut wide-only" title={description}>
          {version} {description}
        </span>
      </span>
    ),
  },
  {
    id: 'state',
    head: texts.columns.state,
    width: 150,
    phone: 'value',
    cell: (connector) => <ConnectorState connector={connector} />,
  },
  ...(['received', 'duplicates', 'failures'] as const).map(
    (id): Column<ListedConnector> => ({
      id,
      head: texts.columns[id],
      width: 92,
      end: true,
      ...(id === 'received' ? { phone: 'time', isNamed: true } : { phone: 'hide' }),
      cell: ({ totals }) => <span className="second">{count(totals?.[id])}</span>,
    }),
  ),
  {
    id: 'letters',
    head: texts.columns.letters,
    width: 104,
    end: true,
    phone: 'hide',
    cell: ({ totals }) => (
      <span className={totals && totals.dead_letters > 0 ? 'bad' : 'second'}>{count(totals?.dead_letters)}</span>
    ),
  },
  {
    id: 'last',
    head: texts.columns.last,
    width: 220,
    phone: 'detail',
    cell: ({ last_event }) =>
      last_event === null ? (
        <span className="third">{texts.never}</span>
      ) : (
        <>
          <span className="mono">{last_event.event_type}</span>{' '}
          <time className="third" dateTime={last_event.received_at} title={fullTimeOf(last_event.received_at)}>
            {ago(last_event.received_at, now)}
          </time>
        </>
      ),
  },
];
