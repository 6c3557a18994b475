import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useAction, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { ago, fullTimeOf, number } from '../../texts/format.ts';
import { roomTopics as texts } from '../../texts/room-topics.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, ErrorState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import branchStyles from '../branches/branches.module.css';
import { FormDialog } from '../branches/form-dialog.tsx';
import { TOPIC_ANSWERS, type WholeRoom } from './room-data.ts';
import { placeOfTopic, ShareTopic } from './share-topic.tsx';

type RoomTopic = Output<'rooms.topics'>['topics'][number];

/** What accounts share of their own memory with the room. */
export function TopicsPart({ room }: { room: WholeRoom }) {
  const { room_id } = room;
  const [isSharing, setSharing] = useState(false);
  const [removed, setRemoved] = useState<RoomTopic>();
  const call = { name: 'rooms.topics', input: { room_id, limit: 100 } } as const;
  const pages = usePages(call.name, call.input);
  const again = useAction('rooms.add_topic', {
    changes: TOPIC_ANSWERS,
    onDone: ({ added_versions }) => showToast(texts.sharedAgain(added_versions)),
  });
  useCommands([{ id: 'share-topic', label: texts.share, keys: 'n', group: 'page', run: () => setSharing(true) }]);
  const shareAgain = ({ shared_path }: RoomTopic) => again.mutate({ room_id, entity_path: shared_path });
  return (
    <Section
      title={texts.title}
      note={texts.note}
      bleed
      actions={
        <>
          <CopyAs call={call} />
          <Button kind="ink" onClick={() => setSharing(true)}>
            {texts.share}
          </Button>
        </>
      }
    >
      {again.error !== null && <ErrorState error={again.error} isAction />}
      <Loaded answer={pages} call={call} rows={4}>
        {({ pages: all }) => (
          <Topics
            topics={all.flatMap(({ topics }) => topics)}
            room={room}
            onShareAgain={shareAgain}
            onRemove={setRemoved}
          />
        )}
      </Loaded>
      <ShowMore pages={pages} />
      {isSharing && <ShareTopic roomId={room_id} onClose={() => setSharing(false)} />}
      {removed && <RemoveTopic topic={removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  );
}

type TopicActions = { onShareAgain: (topic: RoomTopic) => void; onRemove: (topic: RoomTopic) => void };
type TopicsProps = TopicActions & { topics: readonly RoomTopic[]; room: WholeRoom };

function Topics({ topics, room, ...actions }: TopicsProps) {
  const now = useNow();
  if (topics.length > 0)
    return (
      <Table
        label={texts.title}
        columns={columnsAt(now, room, actions)}
        rows={topics}
        keyOf={({ topic_id }) => topic_id}
        onOpen={(topic) => navigate(hrefOf('memory', placeOfTopic(topic)))}
      />
    );
  const first = { room_id: room.room_id, entity_path: 'checkout/**', title: 'How checkout works' };
  return (
    <div className={branchStyles.empty}>
      <EmptyState title={texts.none}>
        <p className="second">{texts.noneHint}</p>
        <CallCode label={texts.share} calls={[{ name: 'rooms.add_topic', input: first }]} />
      </EmptyState>
    </div>
  );
}

type MenuProps = TopicActions & { topic: RoomTopic; room: WholeRoom };

/** The account that shared a topic shares it again and removes it; the owner of the room removes any. */
function TopicMenu({ topic, room: { label, role }, onShareAgain, onRemove }: MenuProps) {
  const isOwn = topic.label === label;
  const items: MenuItem[] = [
    ...(isOwn ? [{ id: 'again', label: texts.again, onSelect: () => onShareAgain(topic) }] : []),
    ...(isOwn || role === 'owner'
      ? [{ id: 'remove', label: texts.remove, danger: true, onSelect: () => onRemove(topic) }]
      : []),
  ];
  if (items.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps its clicks from the row.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <span onClick={(event) => event.stopPropagation()}>
      <Menu label={texts.actions(topic.title)} icon="dots" kind="quiet" items={items} />
    </span>
  );
}

function RemoveTopic({ topic, onClose }: { topic: RoomTopic; onClose: () => void }) {
  const form = texts.removeForm;
  const { room_id, topic_id, title } = topic;
  const remove = useAction('rooms.remove_topic', {
    changes: TOPIC_ANSWERS,
    onDone: () => {
      onClose();
      showToast(form.done);
    },
  });
  return (
    <FormDialog
      title={form.title(title)}
      submit={form.submit}
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate({ room_id, topic_id })}
      onClose={onClose}
    >
      <p className="second">{form.hint}</p>
    </FormDialog>
  );
}

const columnsAt = (now: number, room: WholeRoom, actions: TopicActions): readonly Column<RoomTopic>[] => [
  {
    ...{ id: 'title', head: texts.columns.title, phone: 'name' },
    cell: (topic) => (
      <span className={branchStyles.branch}>
        <Icon name="memory" />
        <a className="strong cut" href={hrefOf('memory', placeOfTopic(topic))} title={topic.title}>
          {topic.title}
        </a>
      </span>
    ),
  },
  {
    ...{ id: 'path', head: texts.columns.path, width: 168, phone: 'detail' },
    cell: ({ shared_path }) => <span className="mono second">{shared_path}</span>,
  },
  {
    ...{ id: 'by', head: texts.columns.by, width: 168, phone: 'hide' },
    cell: ({ agent }) => (
      <span className="second" title={agent}>
        {agent}
      </span>
    ),
  },
  {
    ...{ id: 'entries', head: texts.columns.entries, width: 72, end: true, phone: 'hide' },
    cell: ({ entry_count }) => <span className="second">{number(entry_count)}</span>,
  },
  {
    ...{ id: 'at', head: texts.columns.at, width: 92, phone: 'time' },
    cell: ({ updated_at }) => (
      <time className="third" dateTime={updated_at} title={fullTimeOf(updated_at)}>
        {ago(updated_at, now)}
      </time>
    ),
  },
  {
    ...{ id: 'do', head: texts.columns.do, width: 72, end: true, phone: 'value' },
    cell: (topic) => <TopicMenu topic={topic} room={room} {...actions} />,
  },
];
