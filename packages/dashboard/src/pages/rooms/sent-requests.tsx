import type { Output } from '../../data/client.ts';
import { usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { ago, day, fullTimeOf } from '../../texts/format.ts';
import { roomDirectory } from '../../texts/room-directory.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Tag } from '../../ui/marks.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import branchStyles from '../branches/branches.module.css';
import { DIRECTORY, hrefOfFoundRoom } from './room-address.ts';
import { ACCESS_TONES } from './room-data.ts';

const texts = roomDirectory.requests;
type SentRequest = Output<'room_access_requests.list'>['access_requests'][number];

const INPUT = { limit: 100 };
const CALL = { name: 'room_access_requests.list', input: INPUT } as const;

/** The newest request of the account for each room. */
export function useSentRequests(): ReadonlyMap<string, SentRequest> {
  const { data } = usePages(CALL.name, INPUT);
  const requests = data?.pages.flatMap((page) => page.access_requests) ?? [];
  return new Map(requests.map((request) => [request.room_id, request]));
}

/** What the account has asked for, and how it was answered. */
export function SentRequests() {
  const now = useNow();
  const pages = usePages(CALL.name, INPUT);
  const rows = pages.data?.pages.flatMap((page) => page.access_requests).reverse() ?? [];
  return (
    <>
      <div className={branchStyles.bar}>
        <span className="third wide-only">{texts.note}</span>
        <span className="grow" />
        <CopyAs call={CALL} />
      </div>
      <Loaded answer={pages} call={CALL} rows={6}>
        {() =>
          rows.length === 0 ? (
            <div className={branchStyles.empty}>
              <EmptyState
                title={texts.none}
                actions={<ButtonLink href={hrefOf('rooms', DIRECTORY)}>{roomDirectory.open}</ButtonLink>}
              >
                <p className="second">{texts.noneHint}</p>
              </EmptyState>
            </div>
          ) : (
            <Table
              label={texts.title}
              columns={columnsAt(now)}
              rows={rows}
              keyOf={({ access_request_id }) => access_request_id}
              onOpen={(request) => navigate(placeOf(request))}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </>
  );
}

const placeOf = ({ status, room_id }: SentRequest): string =>
  status === 'approved' ? hrefOf('rooms', room_id) : hrefOfFoundRoom(room_id);

const columnsAt = (now: number): readonly Column<SentRequest>[] => [
  {
    ...{ id: 'room', head: texts.columns.room, width: 280, phone: 'name' },
    cell: (request) => (
      <span className={branchStyles.branch}>
        <Icon name="speech" />
        <a className="strong cut" href={placeOf(request)} title={request.room_name}>
          {request.room_name}
        </a>
      </span>
    ),
  },
  {
    ...{ id: 'message', head: texts.columns.message, phone: 'detail' },
    cell: ({ message }) => <span className="second">{message}</span>,
  },
  {
    ...{ id: 'status', head: texts.columns.status, width: 104, phone: 'value' },
    cell: ({ status }) => <Tag tone={ACCESS_TONES[status]}>{roomDirectory.statusOf[status]}</Tag>,
  },
  {
    ...{ id: 'until', head: texts.columns.until, width: 92, phone: 'hide' },
    cell: ({ expires_at }) => (
      <time className="third" dateTime={expires_at} title={fullTimeOf(expires_at)}>
        {day(expires_at)}
      </time>
    ),
  },
  {
    ...{ id: 'at', head: texts.columns.at, width: 92, phone: 'time' },
    cell: ({ created_at }) => (
      <time className="third" dateTime={created_at} title={fullTimeOf(created_at)}>
        {ago(created_at, now)}
      </time>
    ),
  },
];
