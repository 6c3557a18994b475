import type { Output } from '../../data/client.ts';
import { serviceUrl } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { connectors as texts } from '../../texts/connectors.ts';
import { bytes, dayAndTime, fullTimeOf, number } from '../../texts/format.ts';
import { Code } from '../../ui/code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Figures } from '../../ui/marks.tsx';
import { type Fact, Facts, Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { LongValue } from '../branches/long-value.tsx';
import { ConnectorState } from './connector-state.tsx';
import styles from './connectors.module.css';
import { DeadLetters } from './dead-letters.tsx';

type WholeConnector = Output<'connectors.read'>;
type Delivery = Output<'agents.timeline'>['events'][number];
const MOST_DELIVERIES = 25;

/** One connector: how it stands, how it is set up, what came last. */
export function ConnectorPage({ name }: { name: string }) {
  useCrumbs([{ label: texts.title, href: hrefOf('connectors') }, { label: name }]);
  const call = { name: 'connectors.read', input: { connector: name } } as const;
  const read = useOperation('connectors.read', { connector: name });
  return (
    <div className={styles.one}>
      <Loaded answer={read} call={call}>
        {(connector) => (
          <>
            <header className={styles.head}>
              <div className={styles.title2}>
                <h1>{connector.connector}</h1>
                <ConnectorState connector={connector} />
                <span className="grow" />
                <CopyAs call={call} />
              </div>
              <p className="second">{connector.description}</p>
              {connector.totals && <Totals totals={connector.totals} />}
            </header>
            <div className={styles.split}>
              <div className={styles.wide}>
                <SetUp connector={connector} />
                <Deliveries name={name} />
                <DeadLetters connector={name} />
              </div>
              <div className={styles.aside}>
                <About connector={connector} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Totals({ totals }: { totals: NonNullable<WholeConnector['totals']> }) {
  const figure = (label: string, n: number) => ({ label, value: number(n) });
  return (
    <Figures
      figures={[
        figure(texts.columns.received, totals.received),
        figure(texts.columns.duplicates, totals.duplicates),
        figure(texts.columns.failures, totals.failures),
        figure(texts.columns.letters, totals.dead_letters),
      ]}
    />
  );
}

const variableOf = (connector: string) => `MEM_CONNECTOR_${connector.toUpperCase().replaceAll('-', '_')}_SECRET`;

/** Lines that work as they are copied; the secret is named, never shown. */
function SetUp({ connector: { connector, missing_variables } }: { connector: WholeConnector }) {
  const lines = [
    `export ${variableOf(connector)}=$(openssl rand -hex 32)`,
    `echo "$${variableOf(connector)}"`,
    ...missing_variables.map((name) => `export ${name}=…`),
  ];
  const address = `${serviceUrl()}api/v1/webhooks/${connector}`;
  return (
    <Section title={texts.setUp.title}>
      <div className="stack">
        <p className="second">{texts.setUp.secret}</p>
        <Code label={texts.setUp.secret} text={lines.join('\n')} copy />
        <p className="second">{texts.setUp.address}</p>
        <Code label={texts.setUp.address} text={address} copy />
        <p className="third small">{texts.setUp.hosted}</p>
      </div>
    </Section>
  );
}

function Deliveries({ name }: { name: string }) {
  const input = { agent_id: `webhook/${name}`, event_type: ['webhook_ingested' as const], limit: MOST_DELIVERIES };
  const call = { name: 'agents.timeline', input } as const;
  const read = useOperation('agents.timeline', input);
  return (
    <Section bleed title={texts.deliveries}>
      <Loaded answer={read} call={call} rows={3}>
        {({ events }) =>
          events.length === 0 ? (
            <p className={`${styles.inset} third`}>{texts.noDeliveries}</p>
          ) : (
            <Table label={texts.deliveries} columns={DELIVERIES} rows={events} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

/** Details of the log name the event that came from outside. */
function eventTypeOf({ event }: Record<string, unknown>): string {
  const type = typeof event === 'object' && event !== null && 'event_type' in event ? event.event_type : undefined;
  return typeof type === 'string' ? type : '';
}

const DELIVERIES: readonly Column<Delivery>[] = [
  {
    id: 'type',
    head: texts.deliveryColumns.type,
    width: 200,
    phone: 'name',
    cell: ({ details }) => <span className="mono">{eventTypeOf(details)}</span>,
  },
  {
    id: 'what',
    head: texts.deliveryColumns.what,
    phone: 'detail',
    cell: ({ summary }) => <span className="second">{summary}</span>,
  },
  {
    id: 'at',
    head: texts.deliveryColumns.at,
    width: 130,
    phone: 'time',
    cell: ({ created_at }) => (
      <time className="third" dateTime={created_at} title={fullTimeOf(created_at)}>
        {dayAndTime(created_at)}
      </time>
    ),
  },
];

function About({ connector }: { connector: WholeConnector }) {
  const { facts } = texts;
  const { author, license, last_failure } = connector;
  const rows: Fact[] = [
    { name: facts.version, value: `${connector.version}, ${texts.origins[connector.origin]}` },
    ...(author === null ? [] : [{ name: facts.author, value: author }]),
    ...(license === null ? [] : [{ name: facts.license, value: license }]),
    { name: facts.writes, value: <span className="mono">{connector.default_entity_path}</span> },
    { name: facts.events, value: <span className="mono">{connector.event_types.join(', ')}</span> },
    {
      name: facts.signature,
      value: (
        <span className="mono">
          {connector.signature_header} {connector.signature_algorithm}
        </span>
      ),
    },
    { name: facts.largest, value: bytes(connector.max_payload_bytes) },
    { name: facts.outcomes, value: connector.records_outcomes ? facts.records : facts.recordsNot },
    { name: facts.retries, value: facts.retriesOf(connector.retry_attempts, connector.retry_delay_seconds) },
    ...(last_failure === null
      ? []
      : [
          {
            name: facts.failure,
            value: (
              <>
                <span className="bad">
                  <LongValue text={last_failure.reason} most={160} />
                </span>{' '}
                <time className="third" dateTime={last_failure.failed_at}>
                  {dayAndTime(last_failure.failed_at)}
                </time>
              </>
            ),
          },
        ]),
  ];
  return (
    <Section title={texts.about} className={styles.last}>
      <Facts facts={rows} />
    </Section>
  );
}
