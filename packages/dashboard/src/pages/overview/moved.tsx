import { hrefOf } from '../../router/address.ts';
import { overview } from '../../texts/overview.ts';
import { Delta, EntryName } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './overview.module.css';
import { movementsOf, type Overview } from './overview-data.ts';
import type { Range } from './ranges.ts';

const texts = overview.moved;
const MOST = 6;

/** Entries whose confidence outcomes moved, those that moved most first. */
export function Moved({ data, range }: { data: Overview; range: Range }) {
  const { movedBy, stretch } = data;
  const when = range === '1h' ? texts.today : overview.inRange[range];
  return (
    <Section title={texts.title} note={when} className={styles.after}>
      <Loaded answer={movedBy} call={{ name: 'outcomes.list', input: { since: stretch.since } }}>
        {({ outcomes: listed }) => {
          const moved = movementsOf(listed).sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
          if (moved.length === 0) return <p className="third">{texts.nothing(when)}</p>;
          return (
            <ul className={styles.list}>
              {moved.slice(0, MOST).map(({ entity_path, key, before, after, last }) => (
                <li key={`${entity_path}/${key}`} className={styles.moved}>
                  <div>
                    <a className="cut" href={hrefOf('memory', entity_path, { key })}>
                      <EntryName path={entity_path} name={key} />
                    </a>
                    <Delta before={before} after={after} />
                  </div>
                  <div className="third small">
                    <span className={styles.lastStep} title={last.why}>
                      {texts.last(last)}
                    </span>
                    <a className="cut" href={hrefOf('agents', last.agent)}>
                      {last.agent}
                    </a>
                  </div>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Section>
  );
}
