import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAction, usePages } from '../../data/query.ts';
import { useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { rooms as texts } from '../../texts/rooms.ts';
import { Button } from '../../ui/button.tsx';
import { Chip, Field } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { hrefOfMessage, roomParameters } from './room-address.ts';
import type { RoomMessage } from './room-data.ts';
import styles from './rooms.module.css';

/** What was said, the newest below, and a field to say something. */
export function Discussion({ roomId }: { roomId: string }) {
  const [answered, setAnswered] = useState<RoomMessage>();
  const [{ message: linked }] = useSearch(roomParameters);
  const call = { name: 'rooms.discussions', input: { room_id: roomId, limit: 50 } } as const;
  const pages = usePages(call.name, call.input);
  const messages = pages.data?.pages.flatMap((page) => page.messages) ?? [];
  return (
    <Section title={texts.discussion} actions={<CopyAs call={call} />}>
      <ShowMore pages={pages} label={texts.earlier} />
      <Loaded answer={pages} call={call} rows={3}>
        {() =>
          messages.length === 0 ? (
            <p className="third">{texts.noMessages}</p>
          ) : (
            <ol className={styles.messages}>
              {messages.toReversed().map((message) => (
                <Message
                  key={message.message_id}
                  message={message}
                  isLinked={message.message_id === linked}
                  quote={message.reply_to !== null && <Quote roomId={roomId} id={message.reply_to} among={messages} />}
                  onReply={() => setAnswered(message)}
                />
              ))}
            </ol>
          )
        }
      </Loaded>
      <Say roomId={roomId} answered={answered} onAnswered={() => setAnswered(undefined)} />
    </Section>
  );
}

type MessageProps = { message: RoomMessage; isLinked: boolean; quote: ReactNode; onReply: () => void };

function Message({ message, isLinked, quote, onReply }: MessageProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isLinked) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isLinked]);
  const { agent, content, message_type, addressed_to, created_at } = message;
  return (
    <li ref={item} className={styles.message} aria-current={isLinked || undefined}>
      {quote}
      <div className={styles.messageHead}>
        <span className="strong">{agent}</span>
        {addressed_to !== null && <span className="third">{texts.answers(addressed_to)}</span>}
        {message_type !== 'message' && <Tag>{texts.types[message_type]}</Tag>}
        <time className="third small" dateTime={created_at} title={fullTimeOf(created_at)}>
          {dayAndTime(created_at)}
        </time>
        <span className="grow" />
        <Button kind="quiet" aria-label={texts.replyTo(agent)} onClick={onReply}>
          {texts.reply}
        </Button>
      </div>
      <p className={`${styles.content} prose`}>{content}</p>
    </li>
  );
}

type QuoteProps = { roomId: string; id: string; among: readonly RoomMessage[] };

/** The first line of the message that another answers. One that is further back is not loaded yet. */
function Quote({ roomId, id, among }: QuoteProps) {
  const answered = among.find(({ message_id }) => message_id === id);
  return (
    <p className={`${styles.quote} third small`}>
      {answered ? (
        <a href={hrefOfMessage(roomId, id)} title={answered.content}>
          {texts.quote(answered.agent, answered.content)}
        </a>
      ) : (
        texts.quoteEarlier
      )}
    </p>
  );
}

type SayProps = { roomId: string; answered: RoomMessage | undefined; onAnswered: () => void };

function Say({ roomId, answered, onAnswered }: SayProps) {
  const [content, setContent] = useState('');
  const discuss = useAction('rooms.discuss', {
    changes: ['rooms.discussions', 'rooms.updates'],
    onDone: () => {
      setContent('');
      onAnswered();
    },
  });
  const reply = answered ? { reply_to: answered.message_id, addressed_to: answered.agent } : {};
  const words = content.trim();
  const send = () => {
    if (words !== '' && !discuss.isPending) discuss.mutate({ room_id: roomId, content: words, ...reply });
  };
  useCommands([{ id: 'send', label: texts.send, keys: 'mod+enter', group: 'page', unlisted: true, run: send }]);
  return (
    <form
      className={styles.say}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {answered && (
        <Chip name={texts.reply} onRemove={onAnswered}>
          {answered.agent}
        </Chip>
      )}
      <Field label={texts.say}>
        {(field) => (
          <textarea {...field} maxLength={8000} value={content} onChange={(event) => setContent(event.target.value)} />
        )}
      </Field>
      {discuss.error !== null && <ErrorState error={discuss.error} isAction />}
      <div>
        <Button kind="ink" submit busy={discuss.isPending} disabled={words === ''}>
          {texts.send}
        </Button>
      </div>
    </form>
  );
}
