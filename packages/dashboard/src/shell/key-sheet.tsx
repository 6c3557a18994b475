import { Fragment } from 'react';
import { commands as texts } from '../texts/commands.ts';
import { ui } from '../texts/ui.ts';
import { Dialog } from '../ui/dialog.tsx';
import styles from '../ui/overlay.module.css';
import { allCommands, type PageCommand, useSingleKeys } from './commands.ts';
import { isMac } from './top-bar.tsx';

const GROUPS = ['go', 'page', 'any'] as const;

/** All keys that do something now. */
export function KeySheet({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useSingleKeys();
  const withKeys = commandsWithKeys();
  return (
    <Dialog title={ui.keys.title} onClose={onClose} wide>
      <label className="line">
        <input type="checkbox" checked={isOn} onChange={(event) => setOn(event.target.checked)} />
        <span>
          {ui.keys.single} <span className="third">{ui.keys.singleHint}</span>
        </span>
      </label>
      <div className={styles.keys}>
        {GROUPS.map((group) => (
          <section key={group} aria-label={ui.keys.groups[group]}>
            <h3>{ui.keys.groups[group]}</h3>
            <ul>
              {withKeys
                .filter((command) => (command.group ?? 'page') === group)
                .map((command) => (
                  <KeyLine key={command.id} command={command} />
                ))}
              {group === 'page' &&
                texts.parts.map(({ keys, label }) => <KeyLine key={keys} command={{ label, keys }} />)}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** Of the commands with the same keys the one that they run, without those that the parts of pages have in common. */
function commandsWithKeys(): PageCommand[] {
  const listed = new Set<string>(texts.parts.flatMap(({ keys }) => keys.split(' ')));
  return allCommands().filter(({ keys }) => {
    if (keys === undefined || listed.has(keys)) return false;
    listed.add(keys);
    return true;
  });
}

function KeyLine({ command: { label, keys = '' } }: { command: Pick<PageCommand, 'label' | 'keys'> }) {
  return (
    <li>
      <span>{label}</span>
      <span>
        <Keys keys={keys} />
      </span>
    </li>
  );
}

export function Keys({ keys }: { keys: string }) {
  const mod = isMac() ? '⌘' : 'Ctrl';
  return keys.split(' ').map((key, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the same key may come twice.
    <Fragment key={i}>
      {i > 0 && ' '}
      <kbd>{key.replace('mod+', `${mod} `).replace(/ k$/, ' K').replace('Escape', 'Esc')}</kbd>
    </Fragment>
  ));
}
