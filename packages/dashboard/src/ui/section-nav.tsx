import { number } from '../texts/format.ts';
import styles from './controls.module.css';
import { useChosenInView } from './use-chosen-in-view.ts';

export type SectionLink<T extends string> = { value: T; label: string; count?: number | undefined; more?: boolean };

/** Leads to the parts of a long page, all of which are shown. */
export function SectionNav<T extends string>(props: {
  label: string;
  value: T;
  links: readonly SectionLink<T>[];
  hrefOf: (value: T) => string;
  onSelect: (value: T) => void;
}) {
  const { label, value, links, hrefOf, onSelect } = props;
  const line = useChosenInView<HTMLElement>(value);
  return (
    <nav ref={line} className={styles.tabs} aria-label={label}>
      {links.map((link) => (
        <a
          key={link.value}
          className={styles.tab}
          href={hrefOf(link.value)}
          aria-current={link.value === value ? 'true' : undefined}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            onSelect(link.value);
          }}
        >
          {link.label}
          {link.count !== undefined && (
            <span className={styles.count}>
              {number(link.count)}
              {link.more && '+'}
            </span>
          )}
        </a>
      ))}
    </nav>
  );
}
