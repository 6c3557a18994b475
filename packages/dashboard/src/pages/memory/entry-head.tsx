import { useState } from 'react';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import { ui } from '../../texts/ui.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Status, Tag } from '../../ui/marks.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { callOf } from './entry-data.ts';
import type { ShownEntryData } from './entry-pane.tsx';
import { EraseDialog } from './erase-dialog.tsx';
import styles from './memory.module.css';
import { type MemoryAddress, roomOf } from './memory-address.ts';
import { GONE, useRemoval } from './use-removal.ts';

const texts = memory.entry;

/** Which entry it is, how it stands, and what can be done with it. */
export function EntryHead({ address, shown }: { address: MemoryAddress; shown: ShownEntryData }) {
  const { entry, newest, story, isQuarantined } = shown;
  const { entity_path, key } = entry;
  const room = roomOf(entity_path);
  const { remove, restore, isBusy } = useRemoval(entry);
  const [isErasing, setErasing] = useState(false);
  const edit = () => address.set({ do: 'edit' }, { replace: false });
  useCommands([
    { id: 'edit', label: texts.edit, keys: 'e', group: 'page', run: edit },
    { id: 'delete', label: texts.delete, group: 'page', run: () => remove(newest.version) },
    { id: 'erase', label: texts.erase, group: 'page', run: () => setErasing(true) },
  ]);
  const items: MenuItem[] = [
    newest.deleted
      ? { id: 'restore', label: texts.restore, icon: 'undo', onSelect: () => restore(undefined, GONE) }
      : { id: 'delete', label: texts.delete, icon: 'trash', onSelect: () => remove(newest.version) },
    { id: 'erase', label: texts.eraseMore, icon: 'shield', danger: true, onSelect: () => setErasing(true) },
  ];
  const { agent_id, written_at, pattern_refs } = newest.provenance;
  return (
    <header className={styles.entryHead}>
      <div className={styles.entryTitle}>
        <ButtonLink
          kind="quiet"
          icon="back"
          className={styles.back}
          href={address.toList()}
          aria-label={texts.toList}
        />
        <div className="grow">
          <a className={`${styles.entryPath} mono third cut`} href={address.toPath(entity_path)}>
            {entity_path}/
          </a>
          <h1 className={styles.entryName}>{key}</h1>
        </div>
        {newest.deleted ? (
          <Button busy={isBusy} onClick={() => restore(undefined, GONE)}>
            {texts.restore}
          </Button>
        ) : (
          <Button onClick={edit}>{texts.edit}</Button>
        )}
        <CopyAs call={{ name: 'entries.read', input: callOf(entry) }} short />
        <Menu label={ui.more} icon="dots" items={items} />
      </div>
      <ul className={styles.entryFacts}>
        {newest.deleted && (
          <li>
            <Tag tone="bad">{texts.deleted}</Tag>
          </li>
        )}
        {isQuarantined && (
          <li>
            <Tag tone="warn">{texts.quarantined}</Tag>
          </li>
        )}
        {story.data && (
          <li>
            <Status status={story.data.evidence_status} />
          </li>
        )}
        <li>{newest.memory_type}</li>
        <li>{texts.version(newest.version)}</li>
        <li>
          {newest.deleted ? texts.deletedBy : texts.by}{' '}
          {room === undefined ? (
            <a className="link" href={hrefOf('agents', agent_id)}>
              {agent_id}
            </a>
          ) : (
            agent_id
          )}
          , <time title={fullTimeOf(written_at)}>{dayAndTime(written_at)}</time>
        </li>
        <li>{newest.shared ? texts.shared : texts.private}</li>
        {newest.ttl_at !== null && (
          <li title={fullTimeOf(newest.ttl_at)}>{texts.expires(dayAndTime(newest.ttl_at))}</li>
        )}
        {pattern_refs.length > 0 && <li className="cut">{texts.follows(pattern_refs.join(', '))}</li>}
        {room === undefined ? (
          <li>{memory.branch(entry.branch)}</li>
        ) : (
          <li>
            <a className="link" href={hrefOf('rooms', room)}>
              {texts.room}
            </a>
          </li>
        )}
      </ul>
      {isErasing && (
        <EraseDialog
          entry={entry}
          onClose={() => setErasing(false)}
          onErased={() => {
            setErasing(false);
            navigate(address.toList());
          }}
        />
      )}
    </header>
  );
}
