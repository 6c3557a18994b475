import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { negotiations as texts } from '../../texts/negotiations.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import branchStyles from '../branches/branches.module.css';
import { NEGOTIATION_TONES, Negotiation } from './negotiation.tsx';
import { NewNegotiation } from './negotiation-dialogs.tsx';
import { hrefOfNegotiation, roomParameters } from './room-address.ts';

type ListedNegotiation = Output<'negotiations.list'>['negotiations'][number];

/** What agents of the room agree on, or not; a click shows the steps of one. `me`: what the room calls the dashboard. */
export function NegotiationsPart({ roomId, me }: { roomId: string; me: string }) {
  const now = useNow();
  const [{ negotiation: shown }, set] = useSearch(roomParameters);
  const [isNew, setNew] = useState(false);
  const call = { name: 'negotiations.list', input: { room_id: roomId, limit: 20 } } as const;
  const pages = usePages(call.name, call.input);
  const rows = pages.data?.pages.flatMap((page) => page.negotiations) ?? [];
  useCommands([{ id: 'new-negotiation', label: texts.add, keys: 'n', group: 'page', run: () => setNew(true) }]);
  const first = { room_id: roomId, title: 'When to release' };
  return (
    <>
      <Section
        title={texts.title}
        note={texts.note}
        bleed
        actions={
          <>
            <CopyAs call={call} />
            <Button kind="ink" onClick={() => setNew(true)}>
              {texts.add}
            </Button>
          </>
        }
      >
        <Loaded answer={pages} call={call} rows={2}>
          {() =>
            rows.length === 0 ? (
              <div className={branchStyles.empty}>
                <EmptyState title={texts.none}>
                  <p className="second">{texts.noneHint}</p>
                  <CallCode label={texts.add} calls={[{ name: 'negotiations.create', input: first }]} />
                </EmptyState>
              </div>
            ) : (
              <Table
                label={texts.title}
                columns={columnsAt(now)}
                rows={rows}
                keyOf={({ negotiation_id }) => negotiation_id}
                selected={shown}
                onOpen={({ negotiation_id }) => set({ negotiation: negotiation_id }, { replace: false })}
              />
            )
          }
        </Loaded>
        <ShowMore pages={pages} />
      </Section>
      {shown !== '' && <Negotiation key={shown} roomId={roomId} negotiationId={shown} me={me} />}
      {isNew && (
        <NewNegotiation
          roomId={roomId}
          onClose={() => setNew(false)}
          onDone={(id) => set({ negotiation: id }, { replace: false })}
        />
      )}
    </>
  );
}

const columnsAt = (now: number): readonly Column<ListedNegotiation>[] => [
  {
    ...{ id: 'title', head: texts.columns.title, phone: 'name' },
    cell: ({ room_id, negotiation_id, title }) => (
      <a className="strong cut" href={hrefOfNegotiation(room_id, negotiation_id)} title={title}>
        {title}
      </a>
    ),
  },
  {
    ...{ id: 'by', head: texts.columns.by, width: 200, phone: 'detail' },
    cell: ({ agent }) => (
      <span className="second" title={agent}>
        {agent}
      </span>
    ),
  },
  {
    ...{ id: 'round', head: texts.columns.round, width: 84, phone: 'hide' },
    cell: ({ round, max_rounds }) => <span className="second">{texts.round(round, max_rounds)}</span>,
  },
  {
    ...{ id: 'status', head: texts.columns.status, width: 104, phone: 'value' },
    cell: ({ status }) => <Tag tone={NEGOTIATION_TONES[status]}>{texts.statusOf[status]}</Tag>,
  },
  {
    ...{ id: 'at', head: texts.columns.at, width: 92, phone: 'time' },
    cell: ({ updated_at }) => (
      <time className="third" dateTime={updated_at} title={fullTimeOf(updated_at)}>
        {ago(updated_at, now)}
      </time>
    ),
  },
];
