import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { number } from '../../texts/format.ts';
import { roomTopics } from '../../texts/room-topics.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/section.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import { TOPIC_ANSWERS } from './room-data.ts';
import styles from './rooms.module.css';

const texts = roomTopics.shareForm;
type SharedTopic = Output<'rooms.add_topic'>;

/** Where the copies of a topic are: below the topics of its account, at the path that was shared. */
export const placeOfTopic = ({ entity_path, shared_path }: Pick<SharedTopic, 'entity_path' | 'shared_path'>): string =>
  `${entity_path}/${shared_path.replace(/\/\*{1,2}$/, '')}`;

/** Copies a path of the account into the room, and shows what came of it. */
export function ShareTopic({ roomId, onClose }: { roomId: string; onClose: () => void }) {
  const [path, setPath] = useState('');
  const [title, setTitle] = useState('');
  const [topic, setTopic] = useState<SharedTopic>();
  const share = useAction('rooms.add_topic', { changes: TOPIC_ANSWERS, onDone: setTopic });
  if (topic) return <Shared topic={topic} onClose={onClose} />;
  const given = title.trim() === '' ? {} : { title: title.trim() };
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={share.isPending}
      working={texts.working}
      error={share.error}
      disabled={path.trim() === ''}
      onSubmit={() => share.mutate({ room_id: roomId, entity_path: path.trim(), ...given })}
      onClose={onClose}
    >
      <p className="second">{texts.hint}</p>
      <Field label={texts.path} hint={texts.pathHint}>
        {(field) => (
          <input
            {...field}
            required
            autoComplete="off"
            spellCheck={false}
            value={path}
            onChange={(event) => setPath(event.target.value)}
          />
        )}
      </Field>
      <AtPath path={path.trim()} />
      <Field label={texts.name} hint={texts.nameHint}>
        {(field) => (
          <input
            {...field}
            maxLength={128}
            autoComplete="off"
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

/** What is at a path now. What is no path yet, while it is typed, is answered by nothing. */
function AtPath({ path }: { path: string }) {
  const { data, isError } = useOperation(
    'entities.list',
    { entity_path: path, limit: 1000 },
    { enabled: path !== '', keepPrevious: false },
  );
  const entries = data?.entities.reduce((sum, { entry_count }) => sum + entry_count, 0) ?? 0;
  const found = () => {
    if (path === '' || data === undefined || isError) return '';
    return entries === 0 ? texts.nothing : texts.found(entries, data.entities.length, data.has_more);
  };
  return (
    <p className="second small" role="status">
      {found()} {texts.bounds}
    </p>
  );
}

function Shared({ topic, onClose }: { topic: SharedTopic; onClose: () => void }) {
  const { title, facts, close } = roomTopics.shared;
  const place = placeOfTopic(topic);
  return (
    <Dialog title={title} onClose={onClose}>
      <Facts
        facts={[
          {
            name: facts.where,
            value: (
              <a className={`link mono ${styles.content}`} href={hrefOf('memory', place)}>
                {place}
              </a>
            ),
          },
          { name: facts.entries, value: number(topic.entry_count) },
          { name: facts.added, value: number(topic.added_versions) },
          {
            name: facts.leftOut,
            value: <span className={topic.left_out > 0 ? 'warn' : undefined}>{number(topic.left_out)}</span>,
          },
        ]}
      />
      <DialogActions>
        <Button kind="ink" onClick={onClose}>
          {close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
