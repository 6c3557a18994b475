import { number } from '../../texts/format.ts';
import styles from './agents.module.css';

export type CountedItem = { id: string; label: string; href: string; count: number; isMono?: boolean };

const WIDTH = 48;

/** Names with how often, the most first, each with its share of the largest. */
export function CountedList({ items }: { items: readonly CountedItem[] }) {
  const most = Math.max(1, ...items.map(({ count }) => count));
  return (
    <ul className={styles.list}>
      {items.map(({ id, label, href, count, isMono = true }) => (
        <li key={id} className={styles.counted}>
          <a href={href} className={isMono ? 'mono cut' : 'cut'} title={label}>
            {label}
          </a>
          <span className="third small">{number(count)}</span>
          <svg viewBox={`0 0 ${WIDTH} 10`} height="10" aria-hidden="true">
            <rect className={styles.track} y="3" width={WIDTH} height="4" rx="1" />
            <rect className={styles.fill} y="3" width={Math.max(1, (count / most) * WIDTH)} height="4" rx="1" />
          </svg>
        </li>
      ))}
    </ul>
  );
}
