import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { useAction, useOperation, usePages } from '../../data/query.ts';
import { useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { bytes, dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { roomDocuments as texts } from '../../texts/room-documents.ts';
import { rooms } from '../../texts/rooms.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { TypedConfirmation } from '../../ui/dialog.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { roomParameters } from './room-address.ts';
import { DOCUMENT_TONES } from './room-data.ts';
import styles from './rooms.module.css';

type DocumentProps = { roomId: string; documentId: string };
type ReadDocument = Output<'room_documents.read'>;

/** One file as text, page by page, and how far it was read. */
export function DocumentText({ roomId, documentId }: DocumentProps) {
  const [, set] = useSearch(roomParameters);
  const [isDeleting, setDeleting] = useState(false);
  const toList = () => set({ document: '' });
  const input = { room_id: roomId, document_id: documentId };
  const call = { name: 'room_documents.read', input } as const;
  const answer = useOperation(call.name, input);
  const remove = useAction('room_documents.delete', {
    // What is gone is not asked for again.
    changes: ['room_documents.list', 'room_documents.search'],
    onDone: () => {
      toList();
      showToast(texts.deleted);
    },
  });
  useCommands([{ id: 'delete-document', label: texts.delete, run: () => setDeleting(true) }]);
  const text = { name: 'room_documents.read_text', input: { ...input, limit: 100 } } as const;
  return (
    <Section
      title={answer.data?.title ?? texts.document}
      actions={
        <>
          <CopyAs call={call} more={[text]} />
          <Button onClick={toList}>{rooms.toList}</Button>
          <Menu
            label={ui.more}
            icon="dots"
            items={[{ id: 'delete', label: texts.deleteMore, danger: true, onSelect: () => setDeleting(true) }]}
          />
        </>
      }
    >
      <Loaded answer={answer} call={call} rows={6}>
        {(document) => (
          <>
            <About document={document} />
            {document.readable_version !== null && <Text {...input} />}
          </>
        )}
      </Loaded>
      {isDeleting && answer.data && (
        <TypedConfirmation
          title={texts.delete}
          expected={answer.data.name}
          action={texts.deleteAction}
          busy={remove.isPending}
          error={remove.isError ? problemOf(remove.error).detail : undefined}
          onConfirm={() => remove.mutate(input)}
          onClose={() => setDeleting(false)}
        >
          <p className="second">{texts.deleteHint}</p>
        </TypedConfirmation>
      )}
    </Section>
  );
}

function About({ document }: { document: ReadDocument }) {
  const { name, version, readable_version, status, message, page_count, bytes: size, agent_id, updated_at } = document;
  return (
    <div className={styles.about}>
      <p className={`${styles.messageHead} second small`}>
        <Tag tone={DOCUMENT_TONES[status]}>{texts.statusOf[status]}</Tag>
        <code>{name}</code>
        <span>{texts.version(version)}</span>
        {page_count !== null && <span>{texts.pages(page_count)}</span>}
        <span>{bytes(size)}</span>
        <span>{agent_id}</span>
        <time dateTime={updated_at} title={fullTimeOf(updated_at)}>
          {dayAndTime(updated_at)}
        </time>
      </p>
      {status === 'pending' && <p className="second">{texts.pending}</p>}
      {message !== null && <p className="bad">{message}</p>}
      {readable_version !== null && readable_version !== version && (
        <p className="warn">{texts.older(readable_version)}</p>
      )}
    </div>
  );
}

function Text({ room_id, document_id }: { room_id: string; document_id: string }) {
  const call = { name: 'room_documents.read_text', input: { room_id, document_id, limit: 100 } } as const;
  const pages = usePages(call.name, call.input);
  const passages = pages.data?.pages.flatMap((page) => page.passages) ?? [];
  return (
    <Loaded answer={pages} call={call} rows={8}>
      {() => (
        <>
          {passages.map(({ page, text }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a page may have several passages.
            <div key={i} className={styles.passage}>
              {page !== passages[i - 1]?.page && <h3 className="third small">{texts.page(page)}</h3>}
              <p className={`${styles.content} prose`}>{text}</p>
            </div>
          ))}
          <ShowMore pages={pages} />
        </>
      )}
    </Loaded>
  );
}
