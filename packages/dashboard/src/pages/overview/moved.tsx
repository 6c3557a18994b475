import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { overview } from '../../texts/overview.ts';
import { Delta, EntryName } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './overview.module.css';
import { movementsOf, type Overview, withNewer } from './overview-data.ts';
import { writtenSince } from './questions.ts';
import type { Range } from './ranges.ts';

const texts = overview.moved;
const MOST = 6;
const REFETCH_MS = 10_000;

/** Entries whose confidence outcomes moved, those that moved most first; those that were written again since are last. */
export function Moved({ data, range }: { data: Overview; range: Range }) {
  const { movedBy, movedSince } = data;
  const hasMoved = movedBy.data !== undefined && movementsOf(movedBy.data.outcomes).length > 0;
  const written = useOperation('entries.list', writtenSince(movedSince), {
    enabled: hasMoved,
    isLater: true,
    refetchMs: REFETCH_MS,
  });
  const when = range === '1h' ? texts.today : overview.inRange[range];
  return (
    <Section title={texts.title} note={when} className={styles.after}>
      <Loaded answer={movedBy} call={{ name: 'outcomes.list', input: { since: movedSince } }}>
        {({ outcomes: listed }) => {
          const moved = withNewer(movementsOf(listed), written.data?.entries ?? []);
          if (moved.length === 0) return <p className="third">{texts.nothing(when)}</p>;
          return (
            <ul className={styles.list}>
              {moved.slice(0, MOST).map(({ entity_path, key, before, after, last, now }) => (
                <li key={`${entity_path}/${key}`} className={styles.moved}>
                  <div>
                    <a className="cut" href={hrefOf('memory', entity_path, { key })}>
                      <EntryName path={entity_path} name={key} />
                    </a>
                    <Delta before={before} after={after} isPast={now !== undefined} />
                  </div>
                  <div className="third small">
                    <span className={styles.lastStep} title={last.why}>
                      {now === undefined ? texts.last(last) : texts.now(now)}
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
