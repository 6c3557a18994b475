import { bytes } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import { Segmented } from '../../ui/choices.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { comparable } from '../../ui/diff.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { Section } from '../../ui/section.tsx';
import type { ShownEntryData } from './entry-pane.tsx';
import type { MemoryAddress } from './memory-address.ts';
import styles from './parts.module.css';

const texts = memory.value;
/** Longer texts are shown from their start; copying takes them whole. */
const MOST_CHARS = 200_000;

/** What the entry says: JSON that folds, or text as it is. */
export function ValuePart({ address, shown }: { address: MemoryAddress; shown: ShownEntryData }) {
  const version = shown.newest.deleted ? shown.versions.find(({ deleted }) => !deleted) : shown.newest;
  if (!version) return <Section title={texts.title}>{<p className="third">{texts.gone}</p>}</Section>;
  const { value } = version;
  const isText = typeof value === 'string';
  const text = comparable(value);
  const shape = isText ? 'text' : address.raw ? 'raw' : 'json';
  return (
    <Section
      title={texts.title}
      note={texts.note(version.version, bytes(new Blob([text]).size))}
      actions={
        <>
          {!isText && (
            <Segmented
              label={texts.form}
              value={shape}
              choices={[
                { value: 'json', label: texts.json },
                { value: 'raw', label: texts.raw },
              ]}
              onChange={(next) => address.set({ raw: next === 'raw' })}
            />
          )}
          <CopyButton text={text} />
        </>
      }
    >
      {shape === 'json' ? (
        <JsonTree value={value} label={texts.asJson} />
      ) : (
        <div className={styles.valueText}>
          <Code label={texts.title} text={text.slice(0, MOST_CHARS)} wrap={isText} numbered={!isText} json={!isText} />
        </div>
      )}
      {text.length > MOST_CHARS && <p className="third small">{texts.cut}</p>}
      {version.artifact_refs.length > 0 && (
        <ul className={styles.artifacts}>
          {version.artifact_refs.map(({ uri, label, media_type }) => (
            <li key={uri} className="small second">
              {label ?? texts.artifact} <span className="mono third">{uri}</span> {media_type}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
