import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { questionOf, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { ago, bytes, fullTimeOf } from '../../texts/format.ts';
import { roomDocuments as texts } from '../../texts/room-documents.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Tag } from '../../ui/marks.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import branchStyles from '../branches/branches.module.css';
import { AddDocument } from './add-document.tsx';
import { DocumentText } from './document-text.tsx';
import { Marked } from './marked.tsx';
import { hrefOfDocument, roomParameters } from './room-address.ts';
import { DOCUMENT_TONES } from './room-data.ts';
import styles from './rooms.module.css';

type RoomDocument = Output<'room_documents.list'>['documents'][number];

/** The files of a room: listed, searched by words, or one of them as text. */
export function DocumentsPart({ roomId }: { roomId: string }) {
  const [{ document }] = useSearch(roomParameters);
  return document === '' ? (
    <DocumentList roomId={roomId} />
  ) : (
    <DocumentText key={document} roomId={roomId} documentId={document} />
  );
}

function DocumentList({ roomId }: { roomId: string }) {
  const now = useNow();
  const [{ words }, set] = useSearch(roomParameters);
  const [isAdding, setAdding] = useState(false);
  const call = { name: 'room_documents.list', input: { room_id: roomId, limit: 100 } } as const;
  const pages = usePages(call.name, call.input);
  const rows = pages.data?.pages.flatMap((page) => page.documents) ?? [];
  useCommands([{ id: 'add-document', label: texts.add, keys: 'n', group: 'page', run: () => setAdding(true) }]);
  const first = { room_id: roomId, name: 'release-plan.md', content: 'Ship on Monday.' };
  const asked = words.trim();
  return (
    <Section
      title={texts.title}
      note={texts.note}
      bleed
      actions={
        <>
          <CopyAs call={call} />
          <Button kind="ink" onClick={() => setAdding(true)}>
            {texts.add}
          </Button>
        </>
      }
    >
      {rows.length > 0 && (
        <div className={styles.find}>
          <SearchField label={texts.find} value={words} onChange={(next) => set({ words: next })} />
        </div>
      )}
      {asked === '' ? (
        <Loaded answer={pages} call={call} rows={4}>
          {() =>
            rows.length === 0 ? (
              <div className={branchStyles.empty}>
                <EmptyState title={texts.none}>
                  <p className="second">{texts.noneHint}</p>
                  <CallCode label={texts.add} calls={[{ name: 'room_documents.add', input: first }]} />
                </EmptyState>
              </div>
            ) : (
              <Table
                label={texts.title}
                columns={columnsAt(now)}
                rows={rows}
                keyOf={({ document_id }) => document_id}
                onOpen={({ document_id }) => set({ document: document_id }, { replace: false })}
              />
            )
          }
        </Loaded>
      ) : (
        <Passages roomId={roomId} words={asked} />
      )}
      {asked === '' && <ShowMore pages={pages} />}
      {isAdding && <AddDocument roomId={roomId} onClose={() => setAdding(false)} />}
    </Section>
  );
}

/** What was found in the texts, the best first. */
function Passages({ roomId, words }: { roomId: string; words: string }) {
  const call = { name: 'room_documents.search', input: { room_id: roomId, q: words, limit: 20 } } as const;
  const answer = useQuery({ ...questionOf(call.name, call.input), placeholderData: (before) => before });
  return (
    <Loaded answer={answer} call={call} rows={4}>
      {({ passages, complete }) => (
        <div className={styles.found}>
          <p className="third small" role="status">
            {texts.found(passages.length, complete)}
          </p>
          <ol className={styles.messages}>
            {passages.map(({ document_id, title, page, text }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a page may have several passages.
              <li key={i} className={styles.message}>
                <div className={styles.messageHead}>
                  <a className="link" href={hrefOfDocument(roomId, document_id)}>
                    {title}
                  </a>
                  <span className="third small">{texts.page(page)}</span>
                </div>
                <p className={styles.content}>
                  <Marked text={text} words={words} />
                </p>
              </li>
            ))}
          </ol>
        </div>
      )}
    </Loaded>
  );
}

const columnsAt = (now: number): readonly Column<RoomDocument>[] => [
  {
    ...{ id: 'title', head: texts.columns.title, phone: 'name' },
    cell: ({ room_id, document_id, title, name }) => (
      <span className={branchStyles.branch}>
        <Icon name="document" />
        <a className="strong cut" href={hrefOfDocument(room_id, document_id)} title={title}>
          {title}
        </a>
        {name !== title && <code className="third cut wide-only">{name}</code>}
      </span>
    ),
  },
  {
    ...{ id: 'by', head: texts.columns.by, width: 200, phone: 'detail' },
    cell: ({ agent_id }) => (
      <span className="second" title={agent_id}>
        {agent_id}
      </span>
    ),
  },
  {
    ...{ id: 'pages', head: texts.columns.pages, width: 72, end: true, phone: 'hide' },
    cell: ({ page_count }) => <span className="second">{page_count ?? texts.unknown}</span>,
  },
  {
    ...{ id: 'size', head: texts.columns.size, width: 84, end: true, phone: 'hide' },
    cell: ({ bytes: size }) => <span className="second">{bytes(size)}</span>,
  },
  {
    ...{ id: 'status', head: texts.columns.status, width: 92, phone: 'value' },
    cell: ({ status, message }) => (
      <span title={message ?? undefined}>
        <Tag tone={DOCUMENT_TONES[status]}>{texts.statusOf[status]}</Tag>
      </span>
    ),
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
