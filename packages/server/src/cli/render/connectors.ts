import type { Output } from '@mem-service/contract';
import { variablePrefix } from '../../config-connectors.ts';
import type { AnswerItem } from './columns.ts';
import { bytes } from './numbers.ts';
import { type Column, panel, table } from './table.ts';
import { paint, type Screen, show, when, whenOn } from './text.ts';

type ListedConnector = Output<'connectors.list'>['connectors'][number];
type ReadConnector = Output<'connectors.read'>;

const secretOf = ({ secret_set, unsigned }: Pick<ListedConnector, 'secret_set' | 'unsigned'>): string =>
  secret_set ? 'set' : unsigned ? 'not needed' : 'not set';

const COLUMNS: readonly Column<ListedConnector>[] = [
  { title: 'NAME', of: ({ connector }) => show(connector) },
  { title: 'SECRET', of: secretOf },
  { title: 'RECEIVED', of: ({ totals }) => show(totals?.received), right: true },
  { title: 'FAILED', of: ({ totals }) => show(totals?.failures), right: true },
  { title: 'LAST EVENT', of: ({ last_event }) => show(last_event?.event_type), least: 10 },
  { title: 'WHEN', of: ({ last_event }, screen) => whenOn(screen, last_event?.received_at) },
  { title: 'MISSING', of: ({ missing_variables }) => show(missing_variables.join(', ')), least: 10, extra: true },
];

export function connectorList(item: AnswerItem, screen: Screen): string {
  const { connectors } = item as unknown as Output<'connectors.list'>;
  return connectors.length === 0 ? 'no connectors\n' : table(connectors, COLUMNS, screen);
}

const MAX_TYPES = 8;

/** The types are many: those that are left out are counted. */
function typesOf(types: readonly string[]): string {
  const rest = types.length - MAX_TYPES;
  const shown = types.slice(0, MAX_TYPES).map(show).join(', ');
  return rest > 0 ? `${shown}, and ${rest} more (--json shows all)` : shown;
}

function countsOf({ totals }: ReadConnector): string {
  if (!totals) return '';
  const { received, duplicates, failures, dead_letters } = totals;
  return `${received}, of which ${failures} failed; ${duplicates} came again; dead letters: ${dead_letters}`;
}

export function connector(item: AnswerItem, screen: Screen): string {
  const read = item as unknown as ReadConnector;
  const { last_event, last_failure } = read;
  const pairs: [string, string][] = [
    ['connector', `${paint(screen, 'bold', show(read.connector))} ${show(read.version)}, ${read.origin}`],
    ['about', show(read.description)],
    ['address', `POST /api/v1/webhooks/${show(read.connector)}`],
    ['secret', `${variablePrefix(read.connector)}SECRET is ${secretOf(read)}`],
    ['missing', show(read.missing_variables.join(', '))],
    ['signature', `${show(read.signature_header)}, ${show(read.signature_algorithm)}`],
    ['at most', `${bytes(read.max_payload_bytes)} a delivery`],
    ['received', countsOf(read)],
    ['last event', last_event ? `${show(last_event.event_type)}, ${when(last_event.received_at)}` : 'none yet'],
    ['last failure', last_failure ? `${when(last_failure.failed_at)}: ${show(last_failure.reason)}` : ''],
    ['outcomes', read.records_outcomes ? 'recorded' : `off (${variablePrefix(read.connector)}OUTCOMES=on)`],
    ['path', show(read.default_entity_path)],
    [`${read.event_types.length} types`, typesOf(read.event_types)],
  ];
  return panel(pairs, screen);
}
