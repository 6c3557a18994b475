import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { ui } from '../texts/ui.ts';
import { Dialog } from '../ui/dialog.tsx';
import styles from '../ui/overlay.module.css';
import { Keys } from './key-sheet.tsx';
import { commandOptions, type PaletteOption, useFound } from './palette-options.tsx';

const GROUPS = ['go', 'entries', 'agents', 'do'] as const;

/** Go, find, do: one field for all of it. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const id = useId();
  const { options: found, isSearching } = useFound(query);
  const options = useMemo(() => inOrder([...commandOptions(query), ...found]), [query, found]);
  const at = Math.min(active, options.length - 1);
  const run = (option: PaletteOption | undefined) => {
    if (!option) return;
    onClose();
    option.run();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined) setActive((to + options.length) % Math.max(1, options.length));
    else if (event.key === 'Enter') run(options[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={ui.palette.label} onClose={onClose} bare className={styles.palette}>
      <input
        className={styles.paletteInput}
        role="combobox"
        aria-label={ui.palette.label}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={options[at] && `${id}-${at}`}
        placeholder={ui.palette.placeholder}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Options id={id} options={options} at={at} onHover={setActive} onRun={run} />
      <div className={styles.foot} role="status">
        {isSearching ? ui.palette.searching : options.length === 0 ? ui.palette.none : ui.palette.hint}
      </div>
    </Dialog>
  );
}

const inOrder = (options: readonly PaletteOption[]): PaletteOption[] =>
  GROUPS.flatMap((group) => options.filter((option) => option.group === group));

type OptionsProps = {
  id: string;
  options: readonly PaletteOption[];
  at: number;
  onHover: (index: number) => void;
  onRun: (option: PaletteOption) => void;
};

function Options({ id, options, at, onHover, onRun }: OptionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${at}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <div ref={list} id={id} className={styles.options} role="listbox" aria-label={ui.palette.label} tabIndex={-1}>
      {options.map((option, i) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of a listbox.
        <div key={option.id} role="group" aria-label={ui.palette.groups[option.group]}>
          {options[i - 1]?.group !== option.group && (
            <div className={styles.group} aria-hidden="true">
              {ui.palette.groups[option.group]}
            </div>
          )}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys. */}
          <div
            id={`${id}-${i}`}
            data-index={i}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            className={styles.option}
            onPointerMove={() => onHover(i)}
            onClick={() => onRun(option)}
          >
            <span className="grow cut">{option.label}</span>
            {option.note && <span className="third small">{option.note}</span>}
            {option.keys && <Keys keys={option.keys} />}
          </div>
        </div>
      ))}
    </div>
  );
}
